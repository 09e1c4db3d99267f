import type { SessionKey } from "../../../core/conversation.ts"
import { frozenJson, frozenState } from "../../../services/store/frozen-json.ts"
import type { SessionRecord, SessionStore } from "../../../services/store/session-store.ts"
import type { SqlDatabase, SqlJobs } from "../sql-database.ts"
import { findMessages, findSession, loadSession } from "./read-session.ts"
import type { SessionCache } from "./session-cache.ts"
import { commitSession, postNote } from "./write-session.ts"

/** Sessions in a database. A turn's messages, state, jobs and taken notes are written in one transaction. All results are frozen. */
export function createSqlSessionStore(database: SqlDatabase, jobs: SqlJobs, cache: SessionCache): SessionStore {
  async function load(key: SessionKey): Promise<SessionRecord | undefined> {
    const keep = cache.keeper()
    const found = await database.read((db) => findSession(db, key, cache.get(key)))
    keep(key, found?.session)
    if (found === undefined) return undefined
    const { version, history, state } = found.session
    return Object.freeze({ version, history, earlier: 0, state, notes: found.notes })
  }

  async function loadNewest(key: SessionKey, last: number): Promise<SessionRecord | undefined> {
    const found = await database.read((db) => loadSession(db, key, last))
    if (found === undefined) return undefined
    const { historyCharacters: _, size: __, ...record } = found
    return Object.freeze(record)
  }

  return {
    load: (key, { last } = {}) => (last === undefined ? load(key) : loadNewest(key, last)),
    async commit(key, commit) {
      const turn = { ...commit, append: frozenJson(commit.append, "append"), state: frozenState(commit.state) }
      const newJobs = frozenJson(commit.jobs, "jobs")
      const keep = cache.keeper()
      const cached = cache.get(key)
      const { version, session } = await database.write(async (db) => {
        const written = await commitSession(db, key, { ...turn, cached })
        if (newJobs.length > 0) await jobs.enqueue(db, newJobs)
        return written
      })
      keep(key, session)
      if (newJobs.length > 0) jobs.wake()
      return { version }
    },
    post: (key, note) => database.write((db) => postNote(db, key, note)),
    messages: (key, filter) => database.read((db) => findMessages(db, key, filter)),
  }
}
