import type { SessionKey } from "../../../core/conversation.ts"
import type { Ports } from "../../../core/ports.ts"
import { ReceiptTable } from "../../../memory/services/store/in-memory/in-memory-tables.ts"
import { JobTable } from "../../../memory/services/store/in-memory/job-table.ts"
import { defaultJobSettings } from "../../../memory/services/store/job-runner.ts"
import type { SessionCommit, SessionStore } from "../../../memory/services/store/session-store.ts"
import { sessionId } from "../session-state.ts"

/** Jobs and receipts in memory, beside a store of sessions. */
export interface Beside {
  readonly jobs: JobTable
  readonly receipts: ReceiptTable
}

/** Makes the tables, without rows. */
export function makeBeside(ports: Pick<Ports, "clock" | "timers" | "random">): Beside {
  return { jobs: new JobTable(defaultJobSettings, ports), receipts: new ReceiptTable() }
}

/** Commits to a store of sessions. The jobs and receipts beside it follow. */
export async function commitBeside(
  store: SessionStore,
  { jobs, receipts }: Beside,
  { key, commit }: { readonly key: SessionKey; readonly commit: SessionCommit },
): ReturnType<SessionStore["commit"]> {
  const { after } = commit
  // Read before the commit: afterwards nothing may fail.
  const turns = after === undefined ? [] : await store.branches(key)
  const { pathTo } = after === undefined ? {} : await import("./set-aside.ts")
  const committed = await store.commit(key, commit)
  if (after !== undefined && pathTo !== undefined) {
    const path = pathTo(turns, after)
    const gone = new Set(turns.flatMap(({ turnId }) => (path.has(turnId) ? [] : [turnId])))
    const isGone = (drawn: { key: SessionKey; turnId: string }) =>
      gone.has(drawn.turnId) && sessionId(drawn.key) === sessionId(key)
    jobs.deleteWhere(isGone)
    receipts.deleteWhere(isGone)
  }
  jobs.enqueue(commit.jobs)
  return committed
}
