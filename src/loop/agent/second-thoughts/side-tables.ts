import type { SessionKey } from "../../../core/conversation.ts"
import type { Ports } from "../../../core/ports.ts"
import { InMemoryRows } from "../../../memory/services/store/in-memory/in-memory-rows.ts"
import { JobTable } from "../../../memory/services/store/in-memory/job-table.ts"
import { defaultJobSettings } from "../../../memory/services/store/job-runner.ts"
import type { ReceiptRecords } from "../../../memory/services/store/records.ts"
import { createReceiptRecords } from "../../../memory/services/store/rows/receipt-records.ts"
import { sessionOf } from "../../../memory/services/store/rows/row-tables.ts"
import type { SessionCommit, SessionStore } from "../../../memory/services/store/session-store.ts"
import { pathTo } from "./set-aside.ts"

/** Jobs and receipts in memory, beside a store of sessions. */
interface SideTables {
  readonly jobs: JobTable
  readonly receipts: ReceiptRecords
  /** Commits to the store of sessions. The jobs and receipts beside it follow. */
  commit(store: SessionStore, key: SessionKey, commit: SessionCommit): ReturnType<SessionStore["commit"]>
}

/** Makes the tables, without rows. */
export function makeSideTables(ports: Pick<Ports, "clock" | "timers" | "random">): SideTables {
  const rows = new InMemoryRows()
  const jobs = new JobTable(defaultJobSettings, ports)
  const receipts = createReceiptRecords(rows, { hasSessions: false })
  return {
    ...{ jobs, receipts },
    async commit(store, key, commit) {
      const { after } = commit
      // Read before the commit: afterwards nothing may fail.
      const turns = after === undefined ? [] : await store.branches(key)
      const committed = await store.commit(key, commit)
      if (after !== undefined) {
        const path = pathTo(turns, after)
        const gone = new Set(turns.flatMap(({ turnId }) => (path.has(turnId) ? [] : [turnId])))
        jobs.forgetTurns(key, gone)
        await rows.atOnce(() => rows.delete("receipts", { ...sessionOf(key), turn_id: { in: [...gone] } }))
      }
      for (const receipt of commit.receipts ?? []) await receipts.put(receipt)
      jobs.enqueue(commit.jobs)
      return committed
    },
  }
}
