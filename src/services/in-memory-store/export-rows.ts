import type { StoreScope } from "../store.ts"
import { ofSession, type StoreRow } from "../store-row.ts"
import { vectorToText } from "../vector-text.ts"
import { type OwnedRows, ownedRows } from "./owned-rows.ts"
import type { SessionRow } from "./session-table.ts"
import type { Tables } from "./tables.ts"

/** The rows of a scope, in the order of an export. */
export function* exportRows({ sessions, memories, users, receipts, jobs }: Tables, scope: StoreScope): Generator<StoreRow> {
  const rows = sessions.rows()
  const owned = ownedRows(scope, rows)
  for (const row of rows) yield* sessionRows(row, owned)
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

function* sessionRows(row: SessionRow, owned: OwnedRows): Generator<StoreRow> {
  const owns = owned.session(row)
  if (owns === "none") return
  const { version, history, state, notes } = row
  const key = ofSession(row.key)
  yield { table: "session", ...key, version, state: owns === "whole" ? state : {} }
  for (const message of history.filter(owns === "whole" ? () => true : owned.message(row)))
    yield { table: "message", ...key, message }
  if (owns === "part") return
  for (const [id, note] of notes) yield { table: "note", ...key, id, ...(note === undefined ? {} : { note }) }
}
