import { type HistoryMessage, type SessionKey, spokenOf } from "../../../../core/conversation.ts"
import type { WholeMessage } from "../branches.ts"
import { frozenJson } from "../frozen-json.ts"
import { turnGone } from "../records.ts"
import { compareSessions, sessionRowId } from "../row-keys.ts"
import { type SessionCommit, type SessionNote, type SessionRecord, sessionConflict } from "../session-store.ts"

/** A session as the table keeps it. Of a note that was taken, only the id stays. */
export interface SessionRow {
  readonly key: SessionKey
  readonly version: number
  /** Grows in place: a turn must not cost more the longer its session is. Only the table adds to it. */
  readonly history: HistoryMessage[]
  /** The messages that are set aside. Those of the history have the positions between theirs. */
  readonly aside: readonly WholeMessage[]
  readonly state: Readonly<Record<string, unknown>>
  readonly notes: ReadonlyMap<string, SessionNote | undefined>
}

/** Sessions in memory. It copies what it is given and returns frozen data. */
export class SessionTable {
  readonly #rows = new Map<string, SessionRow>()
  /** Of each history, the messages that were looked at so far, and how many of them are not blank. */
  readonly #spoken = new WeakMap<readonly HistoryMessage[], { readonly upTo: number; readonly count: number }>()

  load(key: SessionKey, last?: number): SessionRecord | undefined {
    const row = this.#rows.get(sessionRowId(key))
    if (row === undefined) return undefined
    const { version, state, notes } = row
    const waiting = Object.freeze([...notes.values()].filter((note) => note !== undefined))
    if (version === 0 && waiting.length === 0 && row.history.length === 0) return undefined
    const begin = row.history.length - Math.max(0, last ?? row.history.length)
    const history = Object.freeze(row.history.slice(Math.max(0, begin)))
    const earlier = begin <= 0 ? 0 : this.#spokenIn(row.history) - spokenOf(history).length
    return Object.freeze({ version, history, earlier, state, notes: waiting })
  }

  #spokenIn(history: readonly HistoryMessage[]): number {
    const { upTo, count } = this.#spoken.get(history) ?? { upTo: 0, count: 0 }
    const known = { upTo: history.length, count: count + spokenOf(history, upTo).length }
    this.#spoken.set(history, known)
    return known.count
  }

  /** `found` is the session to go on from: the current one, or that one with its history ending elsewhere. */
  commit(
    key: SessionKey,
    commit: SessionCommit,
    found = this.row(key),
  ): { readonly version: number; readonly jobs: SessionCommit["jobs"] } {
    if (commit.expectVersion !== found.version) throw sessionConflict(key, commit.expectVersion, found.version)
    const append = frozenJson(commit.append, "append", -1)
    const state = frozenJson(commit.state, "state")
    const jobs = frozenJson(commit.jobs, "jobs")
    const notes = new Map(found.notes)
    for (const id of commit.taken ?? []) if (notes.has(id)) notes.set(id, undefined)
    const version = found.version + 1
    for (const message of append) found.history.push(message)
    this.#rows.set(sessionRowId(key), { ...found, version, state, notes })
    return { version, jobs }
  }

  append(key: SessionKey, messages: readonly HistoryMessage[]): void {
    const added = frozenJson(messages, "messages", -1)
    const row = this.row(key)
    if (added.length === 0) return
    for (const message of added) row.history.push(message)
    this.put(row)
  }

  post(key: SessionKey, note: SessionNote): boolean {
    const row = this.row(key)
    if (row.notes.has(note.id)) return false
    this.put({ ...row, notes: new Map(row.notes).set(note.id, frozenJson(note, "note")) })
    return true
  }

  /** The history, which grows with later commits. */
  history(key: SessionKey): readonly HistoryMessage[] {
    return this.#rows.get(sessionRowId(key))?.history ?? []
  }

  /** Throws `aborted` unless the history has a message of the turn. */
  expectTurn(key: SessionKey, turnId: string): void {
    const history = this.#rows.get(sessionRowId(key))?.history ?? []
    // From the newest message back, because the turn is one of the last.
    if (history.findLast((message) => message.turnId === turnId) === undefined) throw turnGone(turnId)
  }

  has(key: SessionKey): boolean {
    return this.#rows.has(sessionRowId(key))
  }

  put(row: SessionRow): void {
    this.#rows.set(sessionRowId(row.key), row)
  }

  delete(key: SessionKey): void {
    this.#rows.delete(sessionRowId(key))
  }

  /** Ordered by key. */
  rows(): readonly SessionRow[] {
    return [...this.#rows.values()].sort((a, b) => compareSessions(a.key, b.key))
  }

  /** The session of a key; an empty one if there is none. */
  row({ agent, conversation, audience }: SessionKey): SessionRow {
    const key = Object.freeze({ agent, conversation, audience })
    return this.#rows.get(sessionRowId(key)) ?? { key, version: 0, history: [], aside: [], state: {}, notes: new Map() }
  }
}
