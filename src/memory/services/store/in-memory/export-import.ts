import type { HistoryMessage } from "../../../../core/conversation.ts"
import { renumbered, type WholeMessage, withoutMessages } from "../branches.ts"
import { frozenJson } from "../frozen-json.ts"
import type { ProfileStatement } from "../records.ts"
import { rowId, sessionRowId } from "../row-keys.ts"
import type { SessionNote } from "../session-store.ts"
import type { StoreCheck, StoreScope } from "../store.ts"
import { ofSession, type StoreRow, vectorFromText, vectorToText } from "../store-row.ts"
import { blobRows, importBlob } from "./blob-table.ts"
import { type OwnedRows, ownedRows } from "./forget-rows.ts"
import type { Tables, UserRow } from "./in-memory-tables.ts"
import { writtenOf } from "./session-branches.ts"
import type { SessionRow } from "./session-table.ts"

/** The rows of a scope, in the order of an export. */
export function* exportRows(tables: Tables, scope: StoreScope): Generator<StoreRow> {
  const { sessions, memories, users, receipts, jobs } = tables
  // Copies, because a session may go on while its rows are read.
  const rows = sessions.rows().map((row) => ({ ...row, history: [...row.history] }))
  const owned = ownedRows(scope, rows)
  const told = new Set<string>()
  for (const row of rows) yield* sessionRows(tables, row, { owned, told })
  for (const { memory, hash, vectors } of memories.rows()) {
    if (!owned.key(memory)) continue
    yield { table: "memory", hash, memory }
    for (const { model, values } of [...vectors.values()].sort((a, b) => (a.model < b.model ? -1 : 1)))
      yield { table: "vector", agent: memory.agent, memoryId: memory.id, model, values: vectorToText(values) }
  }
  for (const { agent, user, version, statements } of users.rows()) {
    const own = statements.filter((statement) => owned.statement({ agent, user }, statement))
    if (own.length > 0) yield { table: "user", agent, user, version }
    for (const statement of own) yield { table: "statement", agent, user, statement }
  }
  for (const receipt of receipts.rows()) if (owned.key(receipt.key)) yield { table: "receipt", receipt }
  for (const { job, attempts, error } of jobs.rows())
    if (owned.key(job.key)) yield { table: "job", job, attempts, ...(error === undefined ? {} : { error }) }
}

function* sessionRows(
  tables: Tables,
  row: SessionRow,
  { owned, told }: { readonly owned: OwnedRows; readonly told: Set<string> },
): Generator<StoreRow> {
  const owns = owned.session(row)
  if (owns === "none") return
  const { version, state, notes } = row
  const key = ofSession(row.key)
  yield { table: "session", ...key, version, state: owns === "whole" ? state : {} }
  const isOwned = owned.message(row)
  const written = renumbered(withoutMessages(writtenOf(row), ({ message }) => !isOwned(message)))
  for (const { message, follows } of written)
    yield { table: "message", ...key, message, ...(follows === undefined ? {} : { follows }) }
  if (owns === "whole")
    for (const [id, note] of notes) yield { table: "note", ...key, id, ...(note === undefined ? {} : { note }) }
  const naming = owns === "whole" ? undefined : written.map(({ message }) => message)
  yield* blobRows(tables, row.key, { told, naming })
}

/** Sessions and users of the import. They reach the tables whole, once all rows are read. */
interface Draft {
  readonly sessions: Map<
    string,
    SessionRow & { history: HistoryMessage[]; aside: WholeMessage[]; notes: Map<string, SessionNote | undefined> }
  >
  readonly users: Map<string, UserRow & { readonly statements: ProfileStatement[] }>
}

/** Puts rows into the tables and counts them by table. */
export function importRows(tables: Tables, rows: readonly StoreRow[]): Record<string, number> {
  const draft: Draft = { sessions: new Map(), users: new Map() }
  const counts: Record<string, number> = {}
  for (const row of rows) if (importRow(tables, draft, row)) counts[row.table] = (counts[row.table] ?? 0) + 1
  for (const row of draft.sessions.values()) tables.sessions.put(row)
  for (const row of draft.users.values()) tables.users.put({ ...row, statements: Object.freeze(row.statements) })
  tables.jobs.wake()
  return counts
}

/** Returns false if the row is there already. */
function importRow(tables: Tables, draft: Draft, row: StoreRow): boolean {
  switch (row.table) {
    case "session":
    case "message":
    case "note":
      return importSession(tables, draft, row)
    case "blob":
      return draft.sessions.has(sessionRowId(row)) && importBlob(tables, row)
    case "user":
    case "statement":
      return importUser(tables, draft, row)
    case "memory":
      if (tables.memories.has(row.memory)) return false
      tables.memories.restore({ memory: frozenJson(row.memory, "memory"), hash: row.hash })
      return true
    case "vector": {
      const { agent, memoryId, model, values } = row
      return tables.memories.restoreVector(agent, { memoryId, model, values: vectorFromText(values) })
    }
    case "receipt":
      if (tables.receipts.has(row.receipt)) return false
      void tables.receipts.put(row.receipt)
      return true
    case "job":
      return tables.jobs.restore({ ...row, job: frozenJson(row.job, "job") })
  }
}

function importSession(
  { sessions }: Tables,
  draft: Draft,
  row: StoreRow & { readonly table: "session" | "message" | "note" },
): boolean {
  const { agent, conversation, audience } = row
  const key = Object.freeze({ agent, conversation, audience })
  if (sessions.has(key)) return false
  const id = sessionRowId(key)
  const known = draft.sessions.get(id)
  if (row.table === "session") {
    if (known !== undefined) return false
    const empty = { history: [], aside: [], notes: new Map() }
    draft.sessions.set(id, { key, version: row.version, state: frozenJson(row.state, "state"), ...empty })
    return true
  }
  if (known === undefined) return false
  if (row.table === "message") {
    const message = frozenJson(row.message, "message")
    const position = known.history.length + known.aside.length
    if (row.follows === undefined) known.history.push(message)
    else known.aside.push({ position, turnId: message.turnId, follows: row.follows, message })
  } else known.notes.set(row.id, row.note === undefined ? undefined : frozenJson(row.note, "note"))
  return true
}

function importUser({ users }: Tables, draft: Draft, row: StoreRow & { readonly table: "user" | "statement" }): boolean {
  const { agent, user } = row
  if (users.has(agent, user)) return false
  const id = rowId(agent, user)
  const known = draft.users.get(id)
  if (row.table === "user") {
    if (known !== undefined) return false
    draft.users.set(id, { agent, user, version: row.version, statements: [] })
    return true
  }
  known?.statements.push(frozenJson(row.statement, "statement"))
  return known !== undefined
}

/** Counts the rows of each table, and tells of jobs that failed for good, as every store does. */
export async function checkTables(tables: Tables): Promise<StoreCheck> {
  const dead = (await tables.jobs.dead()).length
  const problems = dead === 0 ? [] : [`jobs: ${dead} failed for good. Read why with store.jobs.dead(); they are kept.`]
  return { ok: dead === 0, problems, counts: countRows(tables) }
}

function countRows({ sessions, memories, users, receipts, jobs, blobs }: Tables): Readonly<Record<string, number>> {
  const of = <T>(rows: readonly T[], count: (row: T) => number): number => rows.reduce((sum, row) => sum + count(row), 0)
  return {
    session: sessions.rows().length,
    message: of(sessions.rows(), ({ history, aside }) => history.length + aside.length),
    note: of(sessions.rows(), ({ notes }) => notes.size),
    blob: of([...blobs.held.values()], ({ size }) => size),
    memory: memories.rows().length,
    vector: of(memories.rows(), ({ vectors }) => vectors.size),
    user: users.rows().length,
    statement: of(users.rows(), ({ statements }) => statements.length),
    receipt: receipts.rows().length,
    job: jobs.rows().length,
  }
}
