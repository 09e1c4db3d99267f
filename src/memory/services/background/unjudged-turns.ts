import type { Job } from "../store/job-runner.ts"
import { isBadOutcome, type Receipt } from "../store/receipt.ts"
import type { Store, StoreScope } from "../store/store.ts"
import { readStoreRow } from "../store/store-row.ts"
import { MemoryRun } from "./memory-run.ts"
import { failedIn, isSettled, judgingKinds, placeOf, waitsIn } from "./waiting-turns.ts"

/**
 * Ends the wait of turns whose judgement could not be read for the second time. If the model judged the others, it is asked about each of
 * them alone, so that one that cannot be judged costs no other. Those that it cannot judge then stand as failed in their receipts.
 */
export async function settleCarried(run: MemoryRun, judge: (alone: MemoryRun) => Promise<void>): Promise<void> {
  const judged = judgingKinds.flatMap((kind) => run.receipts.get(kind) ?? [])
  const bad = judged.find(({ outcome }) => isBadOutcome(outcome))
  const carried = bad === undefined ? [] : run.turns.filter(({ isCarried, turnId }) => isCarried && turnId !== run.job.turnId)
  // What was asked so far counts to the limits of the user's day.
  if (run.left.length + carried.length > 0) await run.flush()
  const isReadable = judged[0]?.outcome === "ok" || judged[0]?.outcome === "empty"
  for (const turn of [...run.left, ...carried]) {
    const context = run.context.ofTurn?.(turn.turnId)
    if (context === undefined || isSettled(await run.options.receipts.ofTurn(turn.turnId, run.key))) continue
    const job = { ...run.job, turnId: turn.turnId, payload: { ...placeOf(turn) } }
    const alone = new MemoryRun(run.options, { job, context: { ...context, isLast: true }, turns: [turn] }, [])
    const unread = { outcome: "parse-error", message: "no answer about it could be read" } as const
    try {
      if (isReadable && run.left.includes(turn)) await judge(alone)
      else await alone.step(bad?.kind ?? "importance", async () => unread)
      await alone.flush()
    } catch (error) {
      if (!alone.isForgotten) throw error
    }
  }
}

/**
 * Tries again to judge turns of a scope whose judgement failed, and those that still wait for a next batch: each gets a job of its own,
 * which whoever runs the store's jobs does. Returns their number.
 */
export async function retryUnjudged(store: Store, scope: StoreScope, atMs: number): Promise<number> {
  const receipts: Receipt[] = []
  let lines = 0
  for await (const line of store.export(scope)) {
    const row = readStoreRow(line, ++lines)
    if (row.table === "receipt" && judgingKinds.includes(row.receipt.kind)) receipts.push(row.receipt)
  }
  const byTurn = Map.groupBy(receipts, ({ key, turnId }) => JSON.stringify([key, turnId]))
  // Turns that waited were judged with the next batch, if there was one.
  const newest = new Map<string, Receipt>()
  for (const receipt of receipts) {
    const of = JSON.stringify(receipt.key)
    const isNewer = receipt.startedMs >= (newest.get(of)?.startedMs ?? 0)
    if (isNewer && failedIn([receipt]).length === 0) newest.set(of, receipt)
  }
  const jobs = new Map<string, Job>()
  for (const own of byTurn.values()) {
    const [{ key, turnId: judgedIn }] = own as [Receipt]
    const waits = newest.get(JSON.stringify(key))?.turnId === judgedIn ? waitsIn(own) : []
    for (const place of [...failedIn(own), ...waits]) {
      const { turnId } = place
      const known = byTurn.get(JSON.stringify([key, turnId])) ?? []
      if (failedIn(known).length === 0 && isSettled(known)) continue
      const payload = { ...place, again: true }
      jobs.set(turnId, { id: `${turnId} again ${atMs}`, kind: "memory", key, turnId, atMs, payload })
    }
  }
  for (const job of jobs.values()) await store.wakes.put(job)
  return jobs.size
}
