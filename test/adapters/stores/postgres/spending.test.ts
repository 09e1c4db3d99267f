import { beforeAll } from "vitest"
import { spending } from "../../../support/spending.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"

let url = ""
beforeAll(async () => {
  url = await makeDatabase()
})

spending(async () => {
  const store = await openStoreFor(url)
  await store.forget({ agent: "test" })
  return store
})
