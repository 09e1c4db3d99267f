import { checkedResults } from "../../core/check-options.ts"
import { late } from "../../core/late.ts"
import type { Ports } from "../../core/ports.ts"
import { createInMemoryStore, lateJobs, lateReceipts } from "../../memory/services/store/in-memory/in-memory-store.ts"
import type { JobRunner } from "../../memory/services/store/job-runner.ts"
import type { BlobRecords, ReceiptRecords } from "../../memory/services/store/records.ts"
import type { SessionStore } from "../../memory/services/store/session-store.ts"
import type { Store, WakeRecords } from "../../memory/services/store/store.ts"
import shapes from "./agent-shapes.json" with { type: "json" }
import { loadWork } from "./borders/load-session-work.ts"

/** The parts of a store that an agent needs, whatever kind of store it was given. */
export interface AgentStore {
  readonly sessions: SessionStore
  readonly jobs: JobRunner
  readonly receipts: ReceiptRecords
  readonly blobs: BlobRecords
  /** Undefined for a store of sessions alone. */
  readonly wakes: WakeRecords | undefined
  /** The given store, if it is a whole one. */
  readonly given: Store | undefined
}

/**
 * Completes the store that an agent was given. A whole store is used as it is. A store of sessions alone gets jobs, receipts and bytes
 * in memory. Without a store everything is in memory. What is in memory is lost when the process ends.
 */
export function agentStore(own: SessionStore | undefined, ports: Pick<Ports, "clock" | "timers" | "random">): AgentStore {
  if (own === undefined) {
    const made = createInMemoryStore({ ports })
    const { jobs, receipts, blobs, wakes } = made
    return { sessions: made, jobs, receipts, blobs, wakes, given: undefined }
  }
  if (isStore(own)) {
    const { jobs, receipts, blobs, wakes } = own
    return { sessions: own, jobs, receipts, blobs, wakes, given: own }
  }
  const store = checkedResults("the store", own, shapes.store)
  const beside = late(async () => (await loadWork()).makeSideTables(ports))
  return {
    sessions: {
      load: (key, options) => store.load(key, options),
      async commit(key, commit) {
        const { after, receipts, jobs } = commit
        if (after === undefined && receipts === undefined && jobs.length === 0) return store.commit(key, commit)
        return (await beside()).commit(store, key, commit)
      },
      append: (key, messages) => store.append(key, messages),
      post: (key, note) => store.post(key, note),
      messages: (key, filter) => store.messages(key, filter),
      branches: (key) => store.branches(key),
    },
    jobs: lateJobs(beside),
    receipts: lateReceipts(beside),
    blobs: createInMemoryStore({ ports }).blobs,
    wakes: undefined,
    given: undefined,
  }
}

function isStore(store: SessionStore): store is Store {
  return "jobs" in store && "memories" in store && "users" in store && "receipts" in store
}
