import type { SessionKey } from "../../src/core/conversation.ts"
import { turnsOf } from "../../src/memory/services/store/branches.ts"
import { commitBehind, messagesOf } from "../../src/memory/services/store/in-memory/in-memory-parts.ts"
import { SessionTable } from "../../src/memory/services/store/in-memory/session-table.ts"
import type { Job } from "../../src/memory/services/store/job-runner.ts"
import { sessionRowId } from "../../src/memory/services/store/row-keys.ts"
import { wholeMessages } from "../../src/memory/services/store/rows/session-rows.ts"
import type { SessionStore } from "../../src/memory/services/store/session-store.ts"

/** A {@link SessionStore} that lives as long as the process. */
interface InMemorySessionStore extends SessionStore {
  /** Returns the session's committed jobs in the order of their commits, each one only once. */
  takeJobs(key: SessionKey): readonly Job[]
}

/**
 * Creates an empty store of sessions alone. It has no memories, users, receipts and no job runner. It copies
 * what it is given and returns frozen data. A record that is not plain JSON throws `usage`.
 */
export function createInMemorySessionStore(): InMemorySessionStore {
  const sessions = new SessionTable()
  const { rows } = sessions
  const jobs = new Map<string, readonly Job[]>()
  return {
    load: async (key, { last } = {}) => sessions.load(key, last),
    async commit(key, commit) {
      const committed = await rows.write(async () =>
        commit.after === undefined ? sessions.commit(key, commit) : commitBehind(sessions, key, commit),
      )
      const id = sessionRowId(key)
      jobs.set(id, [...(jobs.get(id) ?? []), ...committed.jobs])
      return { version: committed.version }
    },
    append: async (key, messages) => sessions.append(key, messages),
    post: async (key, note) => sessions.post(key, note),
    messages: async (key, filter) => messagesOf(rows, key, filter),
    branches: async (key) => turnsOf(await wholeMessages(rows, key)),
    takeJobs(key) {
      const taken = jobs.get(sessionRowId(key)) ?? []
      jobs.delete(sessionRowId(key))
      return taken
    },
  }
}
