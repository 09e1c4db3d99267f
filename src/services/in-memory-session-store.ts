import type { SessionKey } from "../core/keys.ts"
import { sessionRowId } from "./in-memory-store/row-id.ts"
import { SessionTable } from "./in-memory-store/session-table.ts"
import type { Job, SessionStore } from "./session-store.ts"

/** A {@link SessionStore} that lives and dies with the process. */
export interface InMemorySessionStore extends SessionStore {
  /** Hands over every committed job of a session once, in the order of their commits. */
  takeJobs(key: SessionKey): readonly Job[]
}

/**
 * An empty store of sessions alone: without memories, users, receipts and a runner for jobs (`createInMemoryStore` has them). What
 * it is given is copied and what it hands out is frozen. A record that is not plain JSON throws `usage`.
 */
export function createInMemorySessionStore(): InMemorySessionStore {
  const sessions = new SessionTable()
  const jobs = new Map<string, readonly Job[]>()
  return {
    load: async (key, { last } = {}) => sessions.load(key, last),
    async commit(key, commit) {
      const committed = sessions.commit(key, commit)
      const id = sessionRowId(key)
      jobs.set(id, [...(jobs.get(id) ?? []), ...committed.jobs])
      return { version: committed.version }
    },
    post: async (key, note) => sessions.post(key, note),
    messages: async (key, filter) => sessions.messages(key, filter),
    takeJobs(key) {
      const taken = jobs.get(sessionRowId(key)) ?? []
      jobs.delete(sessionRowId(key))
      return taken
    },
  }
}
