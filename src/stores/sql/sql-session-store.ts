import type { SessionKey } from "../../core/keys.ts"
import { frozenJson } from "../../services/frozen-json.ts"
import type { SessionCommit, SessionRecord, SessionStore } from "../../services/session-store.ts"
import { commitSession, type WrittenTurn } from "./commit-session.ts"
import { findMessages } from "./find-messages.ts"
import { findSession, loadSession } from "./load-session.ts"
import { postNote } from "./post-note.ts"
import type { KnownSession, SessionCache } from "./session-cache.ts"
import type { SqlDatabase, SqlJobs } from "./sql-database.ts"

/** Sessions in a database: a turn's words, state, jobs and the notes it took are one transaction. What it hands out is frozen. */
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
    const { historyCharacters: _, stateCharacters: __, ...record } = found
    return Object.freeze(record)
  }

  return {
    load: (key, { last } = {}) => (last === undefined ? load(key) : loadNewest(key, last)),
    async commit(key, commit) {
      const turn = {
        ...commit,
        append: frozenJson(commit.append, "append"),
        state: frozenJson(commit.state, "state"),
        jobs: frozenJson(commit.jobs, "jobs"),
      }
      const keep = cache.keeper()
      const written = await database.write(async (db) => {
        const next = await commitSession(db, key, turn)
        if (turn.jobs.length > 0) await jobs.enqueue(db, turn.jobs)
        return next
      })
      keep(key, afterTurn(cache.get(key), turn, written))
      if (turn.jobs.length > 0) jobs.wake()
      return { version: written.version }
    },
    post: (key, note) => database.write((db) => postNote(db, key, note)),
    messages: (key, filter) => database.read((db) => findMessages(db, key, filter)),
  }
}

/** What is known of a session after a turn; nothing, unless all that it had before was known. */
function afterTurn(
  before: KnownSession | undefined,
  { expectVersion, append, state }: SessionCommit,
  { version, epoch, isFirst, characters }: WrittenTurn,
): KnownSession | undefined {
  const own = { version, epoch, state, stateCharacters: characters.state }
  if (isFirst) return { ...own, history: append, historyCharacters: characters.append }
  if (before?.version !== expectVersion || before.epoch !== epoch) return undefined
  const historyCharacters = before.historyCharacters + characters.append
  return { ...own, history: Object.freeze([...before.history, ...append]), historyCharacters }
}
