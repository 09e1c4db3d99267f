import { frozenJson } from "../../services/frozen-json.ts"
import type { SessionStore } from "../../services/session-store.ts"
import { commitSession } from "./commit-session.ts"
import { findMessages } from "./find-messages.ts"
import { loadSession } from "./load-session.ts"
import { postNote } from "./post-note.ts"
import type { SqlDatabase, SqlJobs } from "./sql-database.ts"

/** Sessions in a database: a turn's words, state, jobs and the notes it took are one transaction. */
export function createSqlSessionStore(database: SqlDatabase, jobs: SqlJobs): SessionStore {
  return {
    load: (key, { last } = {}) => database.read((db) => loadSession(db, key, last)),
    async commit(key, { jobs: added, ...commit }) {
      const enqueued = frozenJson(added, "jobs")
      const version = await database.write(async (db) => {
        const next = await commitSession(db, key, commit)
        if (enqueued.length > 0) await jobs.enqueue(db, enqueued)
        return next
      })
      if (enqueued.length > 0) jobs.wake()
      return { version }
    },
    post: (key, note) => database.write((db) => postNote(db, key, note)),
    messages: (key, filter) => database.read((db) => findMessages(db, key, filter)),
  }
}
