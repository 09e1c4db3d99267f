import type { ServiceKey, SessionKey } from "../../../core/conversation.ts"
import { hostTimers } from "../../../core/ports.ts"
import { within } from "../../../core/timers.ts"
import { otherWork } from "../../../memory/services/recall/documents/steps.ts"
import { turnsOf } from "../../../memory/services/store/branches.ts"
import { tellSetAside } from "../../../memory/services/store/forgetting.ts"
import { frozenJson, frozenState } from "../../../memory/services/store/frozen-json.ts"
import type { JobRunner } from "../../../memory/services/store/job-runner.ts"
import type { MemoryRecords } from "../../../memory/services/store/records.ts"
import { takeBack } from "../../../memory/services/store/rows/forget-turns.ts"
import { lockAgent, scopeOfKey, scopeState } from "../../../memory/services/store/rows/memory-scopes.ts"
import { putReceipts } from "../../../memory/services/store/rows/receipt-records.ts"
import { createRowStore } from "../../../memory/services/store/rows/row-store.ts"
import type { RowDatabase, Rows } from "../../../memory/services/store/rows/rows.ts"
import { wholeMessages } from "../../../memory/services/store/rows/session-rows.ts"
import type { SessionRecord, SessionStore } from "../../../memory/services/store/session-store.ts"
import { type StoreScope, withCheckedArguments } from "../../../memory/services/store/store.ts"
import type { DatabaseStore } from "../database-store.ts"
import { checkRows } from "./maintenance/damaged-rows.ts"
import { repairRows } from "./maintenance/repair-rows.ts"
import { emptyNewerCaches } from "./migrate.ts"
import { currentSession, findMessages, findSession } from "./session/read-session.ts"
import { newestOf, type SessionCache } from "./session/session-cache.ts"
import { type AppendedMessages, appendMessages, commitSession, postNote } from "./session/write-session.ts"
import type { SqlDatabase, SqlJobs } from "./sql-database.ts"
import { rowDatabase, type SqlRowDatabase } from "./sql-rows.ts"

type IndexMethods = Required<Pick<MemoryRecords, "keepIndex" | "readIndex">>
type GivenIndex = Parameters<IndexMethods["keepIndex"]>[0]

/** The copy of an index that is being written. */
interface CopyInProgress extends Pick<GivenIndex, "form" | "cursor"> {
  readonly scope: { readonly agent: string; readonly scope: string }
  readonly copy: string
}

/**
 * Copies of recall indexes in a database. Each part is written and read in a transaction of its own, so that none takes long. `settled`
 * waits until no copy is being written.
 */
function createSqlIndexCopies({ read, write }: RowDatabase): IndexMethods & { settled(): Promise<unknown> } {
  const keep = async ({ form, cursor, parts }: GivenIndex, key: ServiceKey): Promise<boolean> => {
    const written: CopyInProgress = { form, cursor, scope: scopeOfKey(key).row, copy: crypto.randomUUID() }
    let count = 0
    let isKept = false
    try {
      for await (const bytes of parts) {
        if (!(await write((rows) => putPart(rows, written, count, bytes)))) return false
        count += 1
      }
      isKept = count > 0 && (await write((rows) => finish(rows, written, count)))
      return isKept
    } finally {
      while (await write((rows) => dropPart(rows, written, isKept))) {}
    }
  }
  const running = new Set<Promise<boolean>>()
  return {
    settled: () => Promise.allSettled(running),
    keepIndex(copy, key) {
      const kept = keep(copy, key).finally(() => running.delete(kept))
      running.add(kept)
      return kept
    },
    async readIndex(key, { form }) {
      const found = await read((rows) => findCopy(rows, key, form))
      if (found === undefined) return undefined
      const { parts: count, epoch, sequence, ...copy } = found
      const parts: Uint8Array[] = []
      for (let part = 0; part < (count ?? 0); part++) {
        const row = await read(async (rows) => (await rows.select("index_copies", { ...copy, part }, { columns: ["bytes"] }))[0])
        if (row === undefined) return undefined
        parts.push(row.bytes)
        await otherWork()
      }
      return { form, cursor: { epoch, sequence }, parts }
    },
  }
}

/** Locks the scope of a copy until the transaction ends. False if its epoch is over. */
async function isCurrent(rows: Rows, { scope, cursor }: CopyInProgress): Promise<boolean> {
  return (await rows.lock("memory_scopes", { ...scope, last_deletion: cursor.epoch })).length > 0
}

async function putPart(rows: Rows, written: CopyInProgress, part: number, bytes: Uint8Array): Promise<boolean> {
  if (!(await isCurrent(rows, written))) return false
  const { scope, copy, form, cursor } = written
  await rows.insert("index_copies", [{ ...scope, copy, part, parts: null, form, ...cursor, bytes }])
  return true
}

/** Makes a copy the one that is read. False if another one came first, which took its parts away. */
async function finish(rows: Rows, written: CopyInProgress, count: number): Promise<boolean> {
  if (!(await isCurrent(rows, written))) return false
  const { scope, copy } = written
  const own = await rows.select("index_copies", { ...scope, copy }, { columns: ["part"] })
  if (own.length < count) return false
  await rows.update("index_copies", { ...scope, copy: { notIn: [copy] }, parts: { isNot: null } }, { parts: null })
  await rows.update("index_copies", { ...scope, copy, part: count - 1 }, { parts: count })
  return true
}

/** Deletes a part of a copy that was not kept, or one of the other copies if it was. False if none is left, or if another copy is read by now. */
async function dropPart(rows: Rows, { scope, copy }: CopyInProgress, isKept: boolean): Promise<boolean> {
  // Else a copy that another process finishes at the same time could lose a part after it is the one that is read.
  await rows.lock("memory_scopes", scope)
  const one = { columns: ["copy", "part"], limit: 1 } as const
  const isRead = (await rows.select("index_copies", { ...scope, copy, parts: { isNot: null } }, one)).length > 0
  if (isKept && !isRead) return false
  const [row] = await rows.select("index_copies", { ...scope, copy: isKept ? { notIn: [copy] } : copy }, one)
  if (row) await rows.delete("index_copies", { ...scope, ...row })
  return row !== undefined
}

async function findCopy(rows: Rows, key: ServiceKey, form: string) {
  const columns = ["agent", "scope", "copy", "parts", "epoch", "sequence"] as const
  const named = { ...scopeOfKey(key).row, form, epoch: (await scopeState(rows, key)).epoch, parts: { isNot: null } }
  return (await rows.select("index_copies", named, { columns }))[0]
}

/** The parts of a store that differ between databases. */
export interface SqlStoreParts {
  readonly database: SqlDatabase
  readonly jobs: SqlJobs
  readonly runner: JobRunner
  readonly cache: SessionCache
  /** Stops jobs of a deleted scope that run in this process. */
  stopForgotten(scope: StoreScope): void | Promise<void>
  /** Removes what the database still holds of deleted rows. Called after each deletion. */
  erase(): Promise<void>
  /** Faults that the database finds in itself, one line each. */
  checkFile(): Promise<readonly string[]>
  /** Ends jobs and database. Called once. */
  close(): Promise<void>
}

/** A store over the shared tables of a database. */
export function createSqlStore({ database, jobs, runner, cache, ...own }: SqlStoreParts): DatabaseStore {
  const over = rowDatabase(database, jobs)
  const { settled, ...copies } = createSqlIndexCopies(over)
  const { stopForgotten } = own
  const erase = () => emptyNewerCaches(database).then(own.erase)
  const clearCache = () => cache.clear()
  const rowStore = createRowStore({ database: over, runner, wakeJobs: () => jobs.wake(), clearCache, stopForgotten, erase })
  let closing: Promise<void> | undefined
  return withCheckedArguments<DatabaseStore>({
    ...createSqlSessionStore({ database, jobs, runner, cache, stopForgotten }, over),
    ...rowStore,
    jobs: runner,
    memories: { ...rowStore.memories, ...copies },
    async check() {
      const faults = await own.checkFile()
      const { problems, counts } = await database.read((db) => checkRows(db, over.rowsIn(db), jobs))
      const all = [...faults, ...problems]
      return { ok: all.length === 0, problems: all, counts }
    },
    async repair(path) {
      const damaged = await repairRows(database, { over, jobs, path }).finally(clearCache)
      jobs.wake()
      return damaged
    },
    async agents() {
      const found = new Set<string>()
      for (const table of ["sessions", "memories", "receipts"] as const) {
        const rows = await database.read((db) => db.selectFrom(table).select("agent").distinct().execute())
        for (const { agent } of rows) found.add(agent)
      }
      return [...found].sort()
    },
    close() {
      cache.clear()
      // A process that recalls and closes keeps a copy of its index, unless that takes longer.
      closing ??= within({ timeoutMs: 5_000, timers: hostTimers }, settled).then(own.close)
      return closing
    },
  })
}

/** How long closing a store waits for running jobs. */
const drainMs = 5_000

/** Waits for a runner's jobs before its store is closed. Once `isDrained`, the store refuses new ones. */
export function drainOf(runner: Pick<JobRunner, "close">) {
  let isDrained = false
  return {
    isDrained: () => isDrained,
    async drain(): Promise<void> {
      await runner.close({ drainMs }).finally(() => {
        isDrained = true
      })
      // An agent may have been started during the wait.
      await runner.close({ drainMs: 0 })
    },
  }
}

const noNotes: SessionRecord["notes"] = Object.freeze([])

/** The parts of a store that its sessions need. */
type SessionStoreParts = Pick<SqlStoreParts, "database" | "jobs" | "runner" | "cache" | "stopForgotten">

/** Sessions in a database. A turn's messages, state, jobs and taken notes are written in one transaction. All results are frozen. */
function createSqlSessionStore(parts: SessionStoreParts, over: SqlRowDatabase): SessionStore {
  const { database, jobs, runner, cache } = parts
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
      if (hasMoved) await parts.stopForgotten(key)
      if (hasMoved || newJobs.length > 0) jobs.wake()
      if (hasMoved) await tellSetAside(runner, key)
      return { version }
    },
    append: sharedAppend(over),
    post: (key, note) => over.write((rows) => postNote(rows, key, note)),
    messages: (key, filter) => database.readOnce((db) => findMessages(db, key, filter)),
    branches: async (key) => turnsOf(await over.read((rows) => wholeMessages(rows, key))),
  }
}

/**
 * Appends messages. All calls that wait when a transaction begins are written by it, because each transaction waits for the disk once:
 * so a busy group costs a few transactions a second.
 */
function sharedAppend({ write }: RowDatabase): SessionStore["append"] {
  const waiting: (AppendedMessages & { readonly settle: (written: Promise<void>) => void })[] = []
  let isWriting = false
  const writeAll = async (): Promise<void> => {
    // Calls of the same moment join the first one.
    await undefined
    while (waiting.length > 0) {
      const batch: typeof waiting = []
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
