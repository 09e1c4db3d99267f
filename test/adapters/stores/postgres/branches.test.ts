import fc from "fast-check"
import { test } from "vitest"
import { branchScripts, playBranches } from "../../../support/branch-scripts.ts"
import { runs } from "../../../support/size.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"

test("a conversation with branches is the tree that a script of commits, appends and forgetting makes", async () => {
  const url = await makeDatabase()
  await fc.assert(
    fc.asyncProperty(branchScripts(12), async (script) => {
      const open = () => openStoreFor(url)
      const store = await open()
      await store.forget({ agent: "fay" })
      await playBranches(script, { open: async () => store, reopen: (used) => used.close().then(open) })
    }),
    { numRuns: runs(4) },
  )
})
