import { join } from "node:path"
import fc from "fast-check"
import { describe, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { type CrashPlace, interleavings, playInterleaved } from "../../support/interleavings.ts"
import { amount, runs, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { playWaiting, waitingScripts } from "../../support/waiting-interleavings.ts"

/** A store in a file of its own, which a crash opens anew. */
async function placeInFile(): Promise<CrashPlace> {
  const file = join(tempFolder(), "store.sqlite")
  const place: CrashPlace = {
    store: await openSqliteStore(file),
    async reopen() {
      await place.store.close()
      place.store = await openSqliteStore(file)
    },
  }
  return place
}

describe("sends, heard words, second thoughts, aborts and crashes in any order leave what they leave one after the other", () => {
  test(`in memory, ${amount("INTERLEAVINGS")} times`, async () => {
    await fc.assert(
      fc.asyncProperty(interleavings(16), (script) =>
        playInterleaved(script, { store: createInMemoryStore(), reopen: async () => undefined }),
      ),
      { numRuns: amount("INTERLEAVINGS"), seed: seedOf(18) },
    )
  })

  test(`in a file, ${amount("STORED_INTERLEAVINGS")} times`, async () => {
    const place = await placeInFile()
    await fc.assert(
      fc.asyncProperty(interleavings(16), (script) => playInterleaved(script, place)),
      { numRuns: amount("STORED_INTERLEAVINGS"), seed: seedOf(19) },
    )
    await place.store.close()
  })
})

describe("messages that wait for approvals, with aborts and crashes, are kept once and answered once", () => {
  test(`in memory, ${runs(600)} times`, async () => {
    await fc.assert(
      fc.asyncProperty(waitingScripts(14), (script) =>
        playWaiting(script, { store: createInMemoryStore(), reopen: async () => undefined }),
      ),
      { numRuns: runs(600), seed: seedOf(20) },
    )
  })

  test(`in a file, ${runs(40)} times`, async () => {
    const place = await placeInFile()
    await fc.assert(
      fc.asyncProperty(waitingScripts(14), (script) => playWaiting(script, place)),
      { numRuns: runs(40), seed: seedOf(21) },
    )
    await place.store.close()
  })
})
