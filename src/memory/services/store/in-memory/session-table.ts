import type { HistoryMessage, SessionKey } from "../../../../core/conversation.ts"
import { frozenJson } from "../frozen-json.ts"
import { historyRows, type RowTables, sessionOf } from "../rows/row-tables.ts"
import { type SessionCommit, type SessionNote, type SessionRecord, sessionConflict } from "../session-store.ts"
import { InMemoryRows } from "./in-memory-rows.ts"

/** Sessions in memory. It copies what it is given and returns frozen data. */
export class SessionTable {
  readonly rows = new InMemoryRows()

  load(key: SessionKey, last?: number): SessionRecord | undefined {
    const [row] = this.rows.select("sessions", sessionOf(key))
    if (row === undefined) return undefined
    const { version, whole_state: state, next_position, spoken } = row
    const waiting = this.rows.select("notes", { ...sessionOf(key), body: { isNot: null } }, { order: ["position"] })
    if (version === 0 && waiting.length === 0 && next_position === 0) return undefined
    const newest = this.rows
      .select("messages", sessionOf(key), { order: ["position"], isDescending: true, limit: last })
      .reverse()
    const history = Object.freeze(newest.map(({ body }) => body))
    const notes = Object.freeze(waiting.flatMap(({ body }) => body ?? []))
    return Object.freeze({ version, history, earlier: newest[0]?.spoken ?? spoken, state, notes })
  }

  commit(key: SessionKey, commit: SessionCommit): { readonly version: number; readonly jobs: SessionCommit["jobs"] } {
    const row = this.row(key)
    if (commit.expectVersion !== row.version) throw sessionConflict(key, commit.expectVersion, row.version)
    const append = frozenJson(commit.append, "append", -1)
    const whole_state = frozenJson(commit.state, "state")
    const jobs = frozenJson(commit.jobs, "jobs")
    for (const id of commit.taken ?? []) this.rows.update("notes", { ...sessionOf(key), id }, { body: null })
    const version = row.version + 1
    this.#append({ ...row, version, whole_state }, append)
    return { version, jobs }
  }

  append(key: SessionKey, messages: readonly HistoryMessage[]): void {
    const added = frozenJson(messages, "messages", -1)
    if (added.length > 0) this.#append(this.row(key), added)
  }

  post(key: SessionKey, note: SessionNote): boolean {
    const row = this.row(key)
    const body = frozenJson(note, "note")
    const isNew = this.rows.add("notes", { ...sessionOf(key), id: note.id, owner: note.owner, position: row.notes, body })
    if (isNew) this.rows.insert("sessions", [{ ...row, notes: row.notes + 1 }])
    return isNew
  }

  /** The row of a session; an empty one if there is none. */
  row(key: SessionKey): RowTables["sessions"] {
    const empty = { version: 0, whole_state: Object.freeze({}), next_position: 0, spoken: 0, notes: 0 }
    return this.rows.select("sessions", sessionOf(key))[0] ?? { ...sessionOf(key), ...empty }
  }

  #append(row: RowTables["sessions"], messages: readonly HistoryMessage[]): void {
    const { rows, spoken } = historyRows(row, messages, { position: row.next_position, spoken: row.spoken })
    this.rows.insert("messages", rows)
    this.rows.insert("sessions", [{ ...row, next_position: row.next_position + rows.length, spoken }])
  }
}
