import { join } from "node:path"
import fc from "fast-check"
import { describe, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { branchScripts, playBranches, type Step } from "../../support/branch-scripts.ts"
import { runs } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"

async function playInFile(script: readonly Step[]): Promise<void> {
  const file = join(tempFolder(), "store.sqlite")
  const open = () => openSqliteStore(file)
  await playBranches(script, { open, reopen: (store) => store.close().then(open) })
}

test("heard words of the agent itself stay in a file too when an earlier turn is answered again", async () => {
  const heard = { act: "append" as const, words: 3 }
  await playInFile([{ act: "append", words: 0 }, heard, { act: "commit", turns: [], after: 0, keepHeard: true }])
})

describe("a conversation with branches is the tree that a script of commits, appends and forgetting makes", () => {
  test("in memory", async () => {
    const store = { open: async () => createInMemoryStore(), reopen: async <T>(open: T) => open }
    await fc.assert(
      fc.asyncProperty(branchScripts(40), (script) => playBranches(script, store)),
      { numRuns: runs(400) },
    )
  })

  test("in a file", async () => {
    await fc.assert(fc.asyncProperty(branchScripts(12), playInFile), { numRuns: runs(6) })
  })
})
