import type { SessionKey } from "../../../../core/conversation.ts"
import { turnsOf } from "../../../../memory/services/store/branches.ts"
import { frozenJson, frozenState } from "../../../../memory/services/store/frozen-json.ts"
import { takeBack } from "../../../../memory/services/store/rows/forget-turns.ts"
import { lockAgent } from "../../../../memory/services/store/rows/memory-scopes.ts"
import { putReceipts } from "../../../../memory/services/store/rows/receipt-records.ts"
import type { RowDatabase } from "../../../../memory/services/store/rows/rows.ts"
import { wholeMessages } from "../../../../memory/services/store/rows/session-rows.ts"
import type { SessionRecord, SessionStore } from "../../../../memory/services/store/session-store.ts"
import type { StoreScope } from "../../../../memory/services/store/store.ts"
import type { SqlDatabase, SqlJobs } from "../sql-database.ts"
import type { SqlRowDatabase } from "../sql-rows.ts"
import { currentSession, findMessages, findSession } from "./read-session.ts"
import { newestOf, type SessionCache } from "./session-cache.ts"
import { type AppendedMessages, appendMessages, commitSession, postNote } from "./write-session.ts"

const noNotes: SessionRecord["notes"] = Object.freeze([])

/** The parts of a store that its sessions need. */
interface SessionStoreParts {
  readonly jobs: SqlJobs
  /** The same database over the tables that all stores have. */
  readonly over: SqlRowDatabase
  readonly cache: SessionCache
  /** Stops deleted jobs of a conversation that run in this process. */
  stopForgotten(scope: StoreScope): void | Promise<void>
  /** Called when turns of a session were set aside. */
  tellSetAside(key: SessionKey): Promise<void>
}

/** Sessions in a database. A turn's messages, state, jobs and taken notes are written in one transaction. All results are frozen. */
export function createSqlSessionStore(database: SqlDatabase, { jobs, over, cache, ...own }: SessionStoreParts): SessionStore {
  async function load(key: SessionKey, last: number | undefined): Promise<SessionRecord | undefined> {
    const keep = cache.keeper()
    const cached = cache.get(key)
    const current = cached && (await database.readOnce((db) => currentSession(db, key, cached, last)))
    if (current) {
      keep(key, current)
      return Object.freeze({ ...newestOf(current, last), notes: noNotes })
    }
    const found = await database.read((db) => findSession({ db, rows: over.rowsIn(db) }, key, { cached: cache.get(key), last }))
    keep(key, found?.session)
    return found && Object.freeze({ ...newestOf(found.session, last), notes: found.notes })
  }

  return {
    load: (key, { last } = {}) => load(key, last),
    async commit(key, commit) {
      const turn = { ...commit, append: frozenJson(commit.append, "append", -1), state: frozenState(commit.state) }
      const newJobs = frozenJson(commit.jobs, "jobs")
      const receipts = frozenJson(commit.receipts ?? [], "receipts")
      const keep = cache.keeper()
      const cached = cache.get(key)
      const { version, session, hasMoved } = await database.write(async (db) => {
        const rows = over.rowsIn(db)
        if (turn.after !== undefined) await lockAgent(rows, key.agent)
        const written = await commitSession(db, key, { ...turn, rows, cached })
        if (written.hasMoved) await takeBack(rows, key)
        await putReceipts(rows, receipts, { areFirst: true })
        if (newJobs.length > 0) await jobs.enqueue(db, newJobs)
        return written
      })
      keep(key, session)
      if (hasMoved) await own.stopForgotten(key)
      if (hasMoved || newJobs.length > 0) jobs.wake()
      if (hasMoved) await own.tellSetAside(key)
      return { version }
    },
    append: sharedAppend(over),
    post: (key, note) => over.write((rows) => postNote(rows, key, note)),
    messages: (key, filter) => database.readOnce((db) => findMessages(db, key, filter)),
    branches: async (key) => turnsOf(await over.read((rows) => wholeMessages(rows, key))),
  }
}

/** The caller of an `append` whose messages wait to be written. */
interface WaitingAppend extends AppendedMessages {
  readonly settle: (written: Promise<void>) => void
}

/**
 * Appends messages. All calls that wait when a transaction begins are written by it, because each transaction waits for the disk once:
 * so a busy group costs a few transactions a second.
 */
function sharedAppend({ write }: RowDatabase): SessionStore["append"] {
  const waiting: WaitingAppend[] = []
  let isWriting = false
  const writeAll = async (): Promise<void> => {
    // Calls of the same moment join the first one.
    await undefined
    while (waiting.length > 0) {
      const batch: WaitingAppend[] = []
      // The work can run again after a fault; what came meanwhile is then written, too.
      const written = write(async (rows) => {
        batch.push(...waiting.splice(0))
        await appendMessages(rows, batch)
      })
      // A store that is closed refuses before it asks for any work.
      await written.catch(() => batch.push(...(batch.length === 0 ? waiting.splice(0) : [])))
      for (const { settle } of batch) settle(written)
    }
    isWriting = false
  }
  return async (key, given) => {
    const messages = frozenJson(given, "messages", -1)
    if (messages.length === 0) return
    const { promise, resolve: settle } = Promise.withResolvers<void>()
    waiting.push({ key, messages, settle })
    if (!isWriting) void writeAll()
    isWriting = true
    return promise
  }
}
