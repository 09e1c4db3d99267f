import type { SessionKey } from "../core/conversation.ts"
import type { Ports } from "../core/ports.ts"
import { createInMemoryStore, lateJobs, lateReceipts } from "../services/store/in-memory/in-memory-store.ts"
import type { ReceiptTable } from "../services/store/in-memory/in-memory-tables.ts"
import type { JobTable } from "../services/store/in-memory/job-table.ts"
import { defaultJobSettings, type JobRunner } from "../services/store/job-runner.ts"
import type { BlobRecords, ReceiptRecords } from "../services/store/records.ts"
import type { SessionStore } from "../services/store/session-store.ts"
import type { Store } from "../services/store/store.ts"
import { sessionId } from "./session-state.ts"

/** The parts of a store that an agent needs, whatever kind of store it was given. */
export interface AgentStore {
  readonly sessions: SessionStore
  readonly jobs: JobRunner
  readonly receipts: ReceiptRecords
  readonly blobs: BlobRecords
  /** The given store, if it is a whole one. */
  readonly given: Store | undefined
}

/**
 * Completes the store that an agent was given. A whole store is used as it is. A store of sessions alone gets jobs, receipts and bytes
 * in memory. Without a store everything is in memory. What is in memory is lost when the process ends.
 */
export function agentStore(store: SessionStore | undefined, ports: Pick<Ports, "timers" | "random">): AgentStore {
  if (store === undefined) {
    const made = createInMemoryStore({ ports })
    return { sessions: made, jobs: made.jobs, receipts: made.receipts, blobs: made.blobs, given: undefined }
  }
  if (isStore(store)) return { sessions: store, jobs: store.jobs, receipts: store.receipts, blobs: store.blobs, given: store }
  let made: Beside | undefined
  const beside = async (): Promise<Beside> => {
    const [{ JobTable }, { ReceiptTable }] = await Promise.all([
      import("../services/store/in-memory/job-table.ts"),
      import("../services/store/in-memory/in-memory-tables.ts"),
    ])
    made ??= { jobs: new JobTable(defaultJobSettings, ports), receipts: new ReceiptTable() }
    return made
  }
  return {
    sessions: enqueueing(store, beside),
    jobs: lateJobs(beside),
    receipts: lateReceipts(beside),
    blobs: createInMemoryStore({ ports }).blobs,
    given: undefined,
  }
}

/** Jobs and receipts in memory, beside a store of sessions. */
interface Beside {
  readonly jobs: JobTable
  readonly receipts: ReceiptTable
}

/** The store with jobs and receipts in memory, which follow its commits. */
function enqueueing(store: SessionStore, beside: () => Promise<Beside>): SessionStore {
  return {
    load: (key, options) => store.load(key, options),
    async commit(key, commit) {
      const { after } = commit
      if (after === undefined && commit.jobs.length === 0) return store.commit(key, commit)
      // Read before the commit: afterwards nothing may fail.
      const { jobs, receipts } = await beside()
      const turns = after === undefined ? [] : await store.branches(key)
      const { pathTo } = after === undefined ? {} : await import("./second-thoughts/set-aside.ts")
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
    },
    append: (key, messages) => store.append(key, messages),
    post: (key, note) => store.post(key, note),
    messages: (key, filter) => store.messages(key, filter),
    branches: (key) => store.branches(key),
  }
}

function isStore(store: SessionStore): store is Store {
  return "jobs" in store && "memories" in store && "users" in store && "receipts" in store
}
