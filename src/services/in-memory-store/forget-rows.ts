import { stateWithoutWords } from "../state-without-words.ts"
import type { ForgetReport, StoreScope } from "../store.ts"
import type { StoredMemory } from "../stored-memory.ts"
import type { MemoryRow } from "./memory-row.ts"
import { type OwnedRows, ownedRows } from "./owned-rows.ts"
import { rowId } from "./row-id.ts"
import type { Tables } from "./tables.ts"

/** Deletes what belongs to a scope, and what rests on it. */
export function forgetRows(tables: Tables, scope: StoreScope): ForgetReport {
  const owned = ownedRows(scope, tables.sessions.rows())
  const jobs = tables.jobs.deleteWhere(({ key }) => owned.key(key))
  const memories = withWhatRestsOnThem(tables.memories.rows(), owned)
  tables.memories.delete(memories.map(({ memory }) => memory))
  const receipts = tables.receipts.deleteWhere(({ key }) => owned.key(key))
  const report = {
    ...forgetSessions(tables, owned),
    memory: memories.length,
    vector: memories.reduce((count, { vectors }) => count + vectors.size, 0),
    ...forgetUsers(tables, owned, scope),
    receipt: receipts,
    job: jobs,
  }
  dropRecalled(
    tables,
    memories.map(({ memory }) => memory),
  )
  return report
}

/** Insights that rest on what goes, and on those. */
function withWhatRestsOnThem(rows: readonly MemoryRow[], owned: OwnedRows): readonly MemoryRow[] {
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
    const isOwned = owns === "whole" ? () => true : owned.message(row)
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

/** Messages keep what their turn recalled; that goes where it may have been one of these. */
function dropRecalled({ sessions }: Tables, memories: readonly StoredMemory[]): void {
  const users = new Set(memories.map(({ agent, user }) => rowId(agent, user)))
  const groups = new Set(
    memories.flatMap(({ agent, conversation, audience }) => (audience === "group" ? [rowId(agent, conversation)] : [])),
  )
  for (const row of sessions.rows()) {
    const { agent, conversation, audience } = row.key
    const inGroup = audience === "group" && groups.has(rowId(agent, conversation))
    const goes = (speaker: string): boolean => inGroup || users.has(rowId(agent, speaker))
    if (!row.history.some(({ recalled, speaker }) => recalled !== undefined && goes(speaker.id))) continue
    const history = row.history.map((message) => {
      const { recalled: _, ...rest } = message
      return goes(message.speaker.id) ? Object.freeze(rest) : message
    })
    sessions.put({ ...row, version: row.version + 1, history: Object.freeze(history) })
  }
}
