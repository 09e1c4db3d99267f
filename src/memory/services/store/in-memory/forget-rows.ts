import type { HistoryMessage, ServiceKey, SessionKey } from "../../../../core/conversation.ts"
import { withoutMessages } from "../branches.ts"
import type { ProfileStatement, StoredMemory } from "../records.ts"
import { rowId, sessionRowId } from "../row-keys.ts"
import type { ForgetReport, StoreScope } from "../store.ts"
import { stateWithoutWaitingTurn, stateWithoutWords } from "../waiting-turn.ts"
import { dropBlobs, dropUnheld } from "./blob-table.ts"
import type { Tables, UserRow } from "./in-memory-tables.ts"
import type { MemoryRow } from "./memory-table.ts"
import { messagesOf, writtenOf } from "./session-branches.ts"
import type { SessionRow } from "./session-table.ts"

/** Deletes the rows of a scope, and the insights that rest on its memories. */
export function forgetRows(tables: Tables, scope: StoreScope): ForgetReport {
  const owned = ownedRows(scope, tables.sessions.rows())
  const jobs = tables.jobs.forget(owned.key)
  const memories = forgetMemories(tables, owned.key)
  const deleted = memories.map(({ memory }) => memory)
  const receipts = tables.receipts.deleteWhere(({ key }) => owned.key(key))
  const report = {
    ...forgetSessions(tables, owned),
    memory: memories.length,
    vector: memories.reduce((count, { vectors }) => count + vectors.size, 0),
    ...forgetUsers(tables, owned, scope),
    receipt: receipts,
    job: jobs,
  }
  dropRecalled(tables, deleted)
  dropUnheld(tables)
  return report
}

/** Deletes the memories that meet the condition, with the insights that rest on them directly or through other insights. */
export function forgetMemories({ memories }: Tables, isOwned: (memory: StoredMemory) => boolean): readonly MemoryRow[] {
  const rows = memories.rows()
  const gone = new Map(rows.filter(({ memory }) => isOwned(memory)).map((row) => [rowId(row.memory.agent, row.memory.id), row]))
  for (let before = -1; before < gone.size; ) {
    before = gone.size
    for (const row of rows) {
      const { agent, id, sources = [] } = row.memory
      if (sources.some((source) => gone.has(rowId(agent, source)))) gone.set(rowId(agent, id), row)
    }
  }
  memories.delete([...gone.values()].map(({ memory }) => memory))
  return [...gone.values()]
}

function forgetSessions(tables: Tables, owned: OwnedRows): ForgetReport {
  const { sessions } = tables
  const report = { session: 0, message: 0, note: 0, blob: 0 }
  for (const row of sessions.rows()) {
    const owns = owned.session(row)
    if (owns === "none") continue
    const isOwned = owned.message(row)
    const written = writtenOf(row)
    const left = withoutMessages(written, ({ message }) => isOwned(message))
    report.message += written.length - left.length
    report.note += row.notes.size
    report.blob += dropBlobs(tables, row.key, owns === "whole" ? [] : left.map(({ message }) => message))
    if (owns === "whole") {
      report.session++
      sessions.delete(row.key)
    } else {
      const state = stateWithoutWords(row.state)
      sessions.put({ ...row, ...messagesOf(left), version: row.version + 1, state, notes: new Map() })
    }
  }
  return report
}

function forgetUsers({ users }: Tables, owned: OwnedRows, scope: StoreScope): ForgetReport {
  const report = { user: 0, statement: 0 }
  for (const row of users.rows()) {
    const left = row.statements.filter((statement) => !owned.statement(row, statement))
    const isWhole = row.agent === scope.agent && !("conversation" in scope) && (!("user" in scope) || scope.user === row.user)
    if (!isWhole && left.length === row.statements.length) continue
    report.statement += row.statements.length - left.length
    if (isWhole) {
      report.user++
      users.delete(row.agent, row.user)
    } else users.put({ ...row, version: row.version + 1, statements: Object.freeze(left) })
  }
  return report
}

/**
 * Removes recalled memories, and tool runs that may hold some, from messages where one of the deleted memories may be among them.
 * `except` is a session that keeps its own, and `sinceMs` leaves out older messages.
 */
export function dropRecalled(
  { sessions }: Tables,
  memories: readonly StoredMemory[],
  { except, sinceMs = Number.NEGATIVE_INFINITY }: { readonly except?: SessionKey; readonly sinceMs?: number } = {},
): void {
  const spared = except && sessionRowId(except)
  const users = new Set(memories.map(({ agent, user }) => rowId(agent, user)))
  const groups = new Set(
    memories.flatMap(({ agent, conversation, audience }) => (audience === "group" ? [rowId(agent, conversation)] : [])),
  )
  for (const row of sessions.rows()) {
    const { agent, conversation, audience } = row.key
    if (sessionRowId(row.key) === spared) continue
    const inGroup = audience === "group" && groups.has(rowId(agent, conversation))
    const mayHold = ({ recalled, runs, speaker, atMs }: HistoryMessage): boolean =>
      (recalled ?? runs) !== undefined && atMs >= sinceMs && (inGroup || users.has(rowId(agent, speaker.id)))
    const dropFrom = (message: HistoryMessage): HistoryMessage => {
      if (!mayHold(message)) return message
      const { recalled: _, runs: __, ...rest } = message
      return Object.freeze(rest)
    }
    const isOwner = (user: string): boolean => inGroup || users.has(rowId(agent, user))
    const state = stateWithoutWaitingTurn(row.state, isOwner, sinceMs)
    if (!state && ![...row.history, ...row.aside.map(({ message }) => message)].some(mayHold)) continue
    const history = row.history.map(dropFrom)
    const aside = row.aside.map((written) => ({ ...written, message: dropFrom(written.message) }))
    sessions.put({ ...row, version: row.version + 1, history, aside, state: state ?? row.state })
  }
}

/** Tells which rows belong to a scope, for `export` and `forget`. */
export interface OwnedRows {
  /** `part`: a group in which the scope's user owns some turns. */
  session(row: SessionRow): "whole" | "part" | "none"
  /** Returns true for the messages that belong to the scope, of a session of which it owns all or a part. */
  message(row: SessionRow): (message: HistoryMessage) => boolean
  key(key: ServiceKey): boolean
  statement(row: Pick<UserRow, "agent" | "user">, statement: ProfileStatement): boolean
}

/** Reads from the sessions, as they are now, what belongs to a scope. */
export function ownedRows(scope: StoreScope, sessions: readonly SessionRow[]): OwnedRows {
  const { agent } = scope
  if ("user" in scope) return ownedByUser(agent, scope.user, sessions)
  const holds = (key: { readonly agent: string; readonly conversation: string }): boolean =>
    key.agent === agent && (!("conversation" in scope) || key.conversation === scope.conversation)
  return {
    session: ({ key }) => (holds(key) ? "whole" : "none"),
    message: () => () => true,
    key: holds,
    statement: (row, { conversation }) => holds({ agent: row.agent, conversation }),
  }
}

function ownedByUser(agent: string, user: string, sessions: readonly SessionRow[]): OwnedRows {
  const spoke = sessions.filter((row) => row.key.agent === agent && writtenOf(row).some(({ message }) => isOf(message, user)))
  const whole = new Set(spoke.filter(({ key }) => key.audience === "private").map(({ key }) => sessionRowId(key)))
  const part = new Set(spoke.filter(({ key }) => key.audience === "group").map(({ key }) => sessionRowId(key)))
  return {
    session({ key }) {
      if (whole.has(sessionRowId(key))) return "whole"
      return part.has(sessionRowId(key)) ? "part" : "none"
    },
    message(row) {
      const turns = new Set(writtenOf(row).flatMap(({ message, turnId }) => (isOf(message, user) ? [turnId] : [])))
      const isWhole = whole.has(sessionRowId(row.key))
      return ({ turnId }) => isWhole || turns.has(turnId)
    },
    key: (key) => key.agent === agent && (key.user === user || whole.has(sessionRowId(key))),
    statement: (row) => row.agent === agent && row.user === user,
  }
}

function isOf({ role, speaker }: HistoryMessage, user: string): boolean {
  return role === "user" && speaker.id === user
}
