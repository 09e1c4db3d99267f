import { type HistoryMessage, type SessionKey, spokenOf } from "../../../../core/conversation.ts"
import type { Timers } from "../../../../core/ports.ts"
import { sessionRowId } from "../../../../memory/services/store/rows/row-tables.ts"
import type { SessionRecord } from "../../../../memory/services/store/session-store.ts"
import type { StateSize } from "./stored-state.ts"

/** A session as this process last read or wrote it: the whole history or its newest part, and the whole state. Its messages and its state are frozen. */
export interface CachedSession {
  readonly version: number
  /** The agent's epoch. A session that was deleted and begun anew can have the same version, but never the same epoch. */
  readonly epoch: number
  /** The position of the next message. Messages are appended without a new version, so this tells that some are missing here. */
  readonly nextPosition: number
  /** Never changes, but is not frozen: a slice of a frozen list takes many times as long. */
  readonly history: readonly HistoryMessage[]
  /** The number of all messages of the session, blank ones not counted. */
  readonly spoken: number
  readonly isWhole: boolean
  /** So many messages at least were asked for: `Infinity` for all. About as many are kept while the session grows. */
  readonly asked: number
  readonly state: Readonly<Record<string, unknown>>
  /** About the length of the JSON of `history`. */
  readonly historyCharacters: number
  readonly size: StateSize
}

/** The sessions of a cache together have at most so many characters. The least recently used one goes first. */
const maxCharacters = 8_000_000

/** The share of each session that has no text. */
const ownCharacters = 500

/** A session is dropped after so long without use, so that words which another process deletes do not stay here. */
const restMs = 300_000

/**
 * Keeps sessions so that they need not be read again. An entry is valid only while the database has the same version and epoch, and
 * whole only with the same `nextPosition`; the caller checks that in its transaction. The timers should not keep the process alive.
 */
export class SessionCache {
  readonly #timers: Timers
  readonly #sessions = new Map<string, { readonly session: CachedSession; readonly timer: unknown }>()
  #characters = 0
  #generation = 0

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get(key: SessionKey): CachedSession | undefined {
    return this.#sessions.get(sessionRowId(key))?.session
  }

  /**
   * To be called before a transaction begins. Returns a function that takes the transaction's result; undefined drops the session.
   * The function keeps nothing if the cache was cleared in between.
   */
  keeper(): (key: SessionKey, session: CachedSession | undefined) => void {
    const begun = this.#generation
    return (key, session) => {
      const id = sessionRowId(key)
      if (session === undefined) this.#drop(id)
      else if (begun === this.#generation) this.#keep(id, session)
    }
  }

  /** Drops all sessions. */
  clear(): void {
    this.#generation += 1
    for (const id of this.#sessions.keys()) this.#drop(id)
  }

  #keep(id: string, session: CachedSession): void {
    const found = this.#sessions.get(id)?.session
    // A read can end after a later write.
    if (found !== undefined && isNewer(found, session)) return
    this.#drop(id)
    if (sizeOf(session) > maxCharacters) return
    this.#sessions.set(id, { session, timer: this.#timers.set(() => this.#drop(id), restMs) })
    this.#characters += sizeOf(session)
    for (const oldest of this.#sessions.keys()) {
      if (this.#characters <= maxCharacters) return
      this.#drop(oldest)
    }
  }

  #drop(id: string): void {
    const found = this.#sessions.get(id)
    if (found === undefined) return
    this.#timers.clear(found.timer)
    this.#sessions.delete(id)
    this.#characters -= sizeOf(found.session)
  }
}

/** The fewest messages that are kept of a session, so that it is cut seldom. */
const leastKept = 200

/** A session that has grown by messages, cut to what readers ask for: a turn must not cost more the longer its session is. */
export function withMessages<Session extends CachedSession>(
  session: Session,
  added: readonly HistoryMessage[],
  characters: number,
): Session {
  const { history, historyCharacters, asked } = session
  const all = [...history, ...added]
  const kept = Math.max(leastKept, asked)
  const cut = all.length > 2 * kept ? all.length - kept : 0
  return {
    ...session,
    history: cut > 0 ? all.slice(cut) : all,
    spoken: session.spoken + spokenOf(added).length,
    isWhole: session.isWhole && cut === 0,
    historyCharacters: Math.round((historyCharacters + characters) * (1 - cut / Math.max(1, all.length))),
  }
}

/** The session's record with its newest `last` messages, or all that are here. Its history is frozen. */
export function newestOf(session: CachedSession, last: number | undefined): Omit<SessionRecord, "notes"> {
  const { version, spoken, isWhole, state } = session
  const cut = last === undefined ? 0 : Math.max(0, session.history.length - Math.max(0, last))
  const history = Object.freeze(session.history.slice(cut))
  return { version, history, earlier: isWhole && cut === 0 ? 0 : spoken - spokenOf(history).length, state }
}

function isNewer(a: CachedSession, b: CachedSession): boolean {
  return (a.epoch - b.epoch || a.version - b.version || a.nextPosition - b.nextPosition) > 0
}

function sizeOf({ historyCharacters, size: { whole, changes } }: CachedSession): number {
  return ownCharacters + historyCharacters + whole + changes
}
