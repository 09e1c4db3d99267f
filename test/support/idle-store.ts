import type { SessionKey } from "../../src/core/conversation.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Job } from "../../src/memory/services/store/job-runner.ts"
import { sessionRowId } from "../../src/memory/services/store/rows/row-tables.ts"
import type { Store } from "../../src/memory/services/store/store.ts"

/** A store in memory whose jobs nobody runs, so that an agent asks its model in turns alone. */
interface IdleStore extends Store {
  /** Returns the session's committed jobs in the order of their commits, each one only once. */
  takeJobs(key: SessionKey): readonly Job[]
}

export function createIdleStore(): IdleStore {
  const store = createInMemoryStore()
  const jobs = new Map<string, readonly Job[]>()
  const nothing = async () => undefined
  return {
    ...store,
    jobs: { start: nothing, idle: nothing, close: nothing, dead: async () => [] },
    async commit(key, commit) {
      const committed = await store.commit(key, commit)
      jobs.set(sessionRowId(key), [...(jobs.get(sessionRowId(key)) ?? []), ...commit.jobs])
      return committed
    },
    takeJobs(key) {
      const taken = jobs.get(sessionRowId(key)) ?? []
      jobs.delete(sessionRowId(key))
      return taken
    },
  }
}
