import { describe, test } from "vitest"
import { sharedSessionScenes } from "../../../support/known-sessions.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"

describe("a session that this process has read or written", () => {
  for (const { name, play } of sharedSessionScenes)
    test(name, async () => {
      const url = await makeDatabase()
      await play(await openStoreFor(url), await openStoreFor(url))
    })
})
