import { PromptStrataError } from "../core/errors.ts"
import type { SessionKey } from "../core/keys.ts"
import { filterMessages } from "./filter-messages.ts"
import { frozenJson } from "./frozen-json.ts"
import type { Job, SessionCommit, SessionNote, SessionRecord, SessionStore } from "./session-store.ts"

/** A {@link SessionStore} that lives and dies with the process. */
export interface InMemorySessionStore extends SessionStore {
  /** Hands over every committed job of a session once, in the order of their commits. */
  takeJobs(key: SessionKey): readonly Job[]
}

/**
 * An empty store. What it is given is copied and what it hands out is frozen, so a loaded record never changes: neither by
 * the caller's hand nor by a later commit. A record that is not plain JSON throws `usage`, as it would not survive a database.
 */
export function createInMemorySessionStore(): InMemorySessionStore {
  const records = new Map<string, SessionRecord>()
  const jobs = new Map<string, readonly Job[]>()
  const notes = new Map<string, Map<string, SessionNote | undefined>>()
  const waiting = (id: string): readonly SessionNote[] =>
    Object.freeze([...(notes.get(id)?.values() ?? [])].filter((note) => note !== undefined))

  return {
    async load(key, { last } = {}) {
      const id = idOf(key)
      const record = records.get(id)
      return record === undefined ? newSession(waiting(id)) : newest({ ...record, notes: waiting(id) }, last)
    },
    async commit(key, commit) {
      const id = idOf(key)
      const found = records.get(id)
      const foundVersion = found?.version ?? 0
      if (commit.expectVersion !== foundVersion) throw conflict(key, commit.expectVersion, foundVersion)
      const { append, state, jobs: added } = copyOf(commit)
      const history = Object.freeze([...(found?.history ?? []), ...append])
      const record = { version: foundVersion + 1, history, earlier: 0, state, notes: [] }
      records.set(id, Object.freeze(record))
      if (added.length > 0) jobs.set(id, [...(jobs.get(id) ?? []), ...added])
      for (const note of commit.taken ?? []) notes.get(id)?.set(note, undefined)
      return { version: record.version }
    },
    async post(key, note) {
      const id = idOf(key)
      const posted = notes.get(id) ?? new Map<string, SessionNote | undefined>()
      if (posted.has(note.id)) return false
      notes.set(id, posted.set(note.id, frozenJson(note, "note")))
      return true
    },
    async messages(key, filter) {
      return filterMessages(records.get(idOf(key))?.history ?? [], filter)
    },
    takeJobs(key) {
      const taken = jobs.get(idOf(key)) ?? []
      jobs.delete(idOf(key))
      return taken
    },
  }
}

/** Before its first commit a session is what was left for it, or nothing at all. */
function newSession(notes: readonly SessionNote[]): SessionRecord | undefined {
  return notes.length === 0 ? undefined : Object.freeze({ version: 0, history: [], earlier: 0, state: {}, notes })
}

function newest(record: SessionRecord, last: number | undefined): SessionRecord {
  if (last === undefined || last >= record.history.length) return Object.freeze(record)
  const begin = record.history.length - Math.max(0, last)
  const earlier = record.history.slice(0, begin).filter(({ text }) => text.trim() !== "").length
  return Object.freeze({ ...record, history: Object.freeze(record.history.slice(begin)), earlier })
}

function copyOf({ append, state, jobs }: SessionCommit): Pick<SessionCommit, "append" | "state" | "jobs"> {
  return { append: frozenJson(append, "append"), state: frozenJson(state, "state"), jobs: frozenJson(jobs, "jobs") }
}

/** An array as JSON, so that no part can be written to look like the border between two. */
function idOf({ agent, conversation, audience }: SessionKey): string {
  return JSON.stringify([agent, conversation, audience])
}

function conflict(
  { agent, conversation, audience }: SessionKey,
  expectedVersion: number,
  foundVersion: number,
): PromptStrataError {
  return new PromptStrataError(
    "session-conflict",
    `Session ${JSON.stringify(conversation)} of agent ${JSON.stringify(agent)} is at version ${foundVersion}, not at ${expectedVersion} as this commit expects: another turn was committed meanwhile.`,
    {
      hint: "Nothing was written. Load the session again and repeat the turn.",
      evidence: { agent, conversation, audience, expectedVersion, foundVersion },
    },
  )
}
