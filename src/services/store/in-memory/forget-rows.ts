import type { HistoryMessage, ServiceKey } from "../../../core/conversation.ts"
import type { ProfileStatement, StoredMemory } from "../records.ts"
import { rowId, sessionRowId } from "../row-keys.ts"
import { stateWithoutWords } from "../session-store.ts"
import type { ForgetReport, StoreScope } from "../store.ts"
import type { Tables, UserRow } from "./in-memory-tables.ts"
import type { MemoryRow } from "./memory-table.ts"
import type { SessionRow } from "./session-table.ts"

/** Deletes the rows of a scope, and the insights that rest on its memories. */
export function forgetRows(tables: Tables, scope: StoreScope): ForgetReport {
  const owned = ownedRows(scope, tables.sessions.rows())
  const jobs = tables.jobs.deleteWhere(({ key }) => owned.key(key))
  const memories = withDependentInsights(tables.memories.rows(), owned)
  const deleted = memories.map(({ memory }) => memory)
  tables.memories.delete(deleted)
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
  return report
}

/** The owned memories, with the insights that rest on them directly or through other insights. */
function withDependentInsights(rows: readonly MemoryRow[], owned: OwnedRows): readonly MemoryRow[] {
  const gone = new Map(rows.filter(({ memory }) => owned.key(memory)).map((row) => [rowId(row.memory.agent, row.memory.id), row]))
  for (let before = -1; before < gone.size; ) {
    before = gone.size
    for (const row of rows) {
      const { agent, id, sources = [] } = row.memory
      if (sources.some((source) => gone.has(rowId(agent, source)))) gone.set(rowId(agent, id), row)
    }
  }
  return [...gone.values()]
}

function forgetSessions({ sessions }: Tables, owned: OwnedRows): ForgetReport {
  const report = { session: 0, message: 0, note: 0 }
  for (const row of sessions.rows()) {
    const owns = owned.session(row)
    if (owns === "none") continue
    const isOwned = owned.message(row)
    const left = row.history.filter((message) => !isOwned(message))
    report.message += row.history.length - left.length
    report.note += row.notes.size
    if (owns === "whole") {
      report.session++
      sessions.delete(row.key)
    } else {
      const state = stateWithoutWords(row.state)
      sessions.put({ ...row, version: row.version + 1, history: Object.freeze(left), state, notes: new Map() })
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

/** Removes recalled memories, and tool runs that may hold some, from messages where one of the deleted memories may be among them. */
function dropRecalled({ sessions }: Tables, memories: readonly StoredMemory[]): void {
  const users = new Set(memories.map(({ agent, user }) => rowId(agent, user)))
  const groups = new Set(
    memories.flatMap(({ agent, conversation, audience }) => (audience === "group" ? [rowId(agent, conversation)] : [])),
  )
  for (const row of sessions.rows()) {
    const { agent, conversation, audience } = row.key
    const inGroup = audience === "group" && groups.has(rowId(agent, conversation))
    const isAffected = (speaker: string): boolean => inGroup || users.has(rowId(agent, speaker))
    if (!row.history.some(({ recalled, runs, speaker }) => (recalled ?? runs) !== undefined && isAffected(speaker.id))) continue
    const history = row.history.map((message) => {
      const { recalled: _, runs: __, ...rest } = message
      return isAffected(message.speaker.id) ? Object.freeze(rest) : message
    })
    sessions.put({ ...row, version: row.version + 1, history: Object.freeze(history) })
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
  const spoke = sessions.filter(({ key, history }) => key.agent === agent && history.some((message) => isOf(message, user)))
  const whole = new Set(spoke.filter(({ key }) => key.audience === "private").map(({ key }) => sessionRowId(key)))
  const part = new Set(spoke.filter(({ key }) => key.audience === "group").map(({ key }) => sessionRowId(key)))
  return {
    session({ key }) {
      if (whole.has(sessionRowId(key))) return "whole"
      return part.has(sessionRowId(key)) ? "part" : "none"
    },
    message({ key, history }) {
      const turns = new Set(history.filter((message) => isOf(message, user)).map(({ turnId }) => turnId))
      const isWhole = whole.has(sessionRowId(key))
      return ({ turnId }) => isWhole || turns.has(turnId)
    },
    key: (key) => key.agent === agent && (key.user === user || whole.has(sessionRowId(key))),
    statement: (row) => row.agent === agent && row.user === user,
  }
}

function isOf({ role, speaker }: HistoryMessage, user: string): boolean {
  return role === "user" && speaker.id === user
}
