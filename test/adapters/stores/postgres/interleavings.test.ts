import fc from "fast-check"
import { test } from "vitest"
import { type CrashPlace, interleavings, playInterleaved } from "../../../support/interleavings.ts"
import { amount, runs, seedOf } from "../../../support/size.ts"
import { playWaiting, waitingScripts } from "../../../support/waiting-interleavings.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"

async function openPlace(): Promise<CrashPlace> {
  const url = await makeDatabase()
  const place: CrashPlace = {
    store: await openStoreFor(url),
    async reopen() {
      await place.store.close()
      place.store = await openStoreFor(url)
    },
  }
  return place
}

test(`sends, heard words, second thoughts, aborts and crashes in any order, ${amount("STORED_INTERLEAVINGS")} times`, async () => {
  const place = await openPlace()
  await fc.assert(
    fc.asyncProperty(interleavings(16), (script) => playInterleaved(script, place)),
    { numRuns: amount("STORED_INTERLEAVINGS"), seed: seedOf(20) },
  )
})

test(`messages that wait for approvals, with aborts and crashes, ${runs(40)} times`, async () => {
  const place = await openPlace()
  await fc.assert(
    fc.asyncProperty(waitingScripts(14), (script) => playWaiting(script, place)),
    { numRuns: runs(40), seed: seedOf(21) },
  )
})
