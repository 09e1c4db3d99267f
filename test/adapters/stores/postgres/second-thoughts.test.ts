import { beforeAll } from "vitest"
import { secondThoughts } from "../../../support/second-thoughts.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"

let url = ""
beforeAll(async () => {
  url = await makeDatabase()
})

secondThoughts(async () => {
  const store = await openStoreFor(url)
  await store.forget({ agent: "test" })
  return store
})
