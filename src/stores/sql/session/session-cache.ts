import type { HistoryMessage } from "../../../core/history.ts"
import type { SessionKey } from "../../../core/keys.ts"
import type { Timers } from "../../../core/ports.ts"
import { sessionRowId } from "../../../services/in-memory-store/row-id.ts"
import type { StateSize } from "./stored-state.ts"

/** A session as it was last read or written here, frozen: whole history, whole state. */
export interface KnownSession {
  readonly version: number
  /** The agent's epoch: a session that was deleted and begun anew can have the same version, and never the same epoch. */
  readonly epoch: number
  readonly history: readonly HistoryMessage[]
  readonly state: Readonly<Record<string, unknown>>
  /** Of its JSON. */
  readonly historyCharacters: number
  readonly size: StateSize
}

/** What this process need not read again where the database says that it still holds. */
export interface SessionCache {
  get(key: SessionKey): KnownSession | undefined
  /** To be called before a transaction begins; hands over what takes its result: nothing, if all was cleared meanwhile. */
  keeper(): (key: SessionKey, known: KnownSession | undefined) => void
  /** Lets go of every word at once. */
  clear(): void
}

/** Together they have at most so many characters; the session that was used the longest ago goes first. */
const maxCharacters = 8_000_000

/** A conversation that rests for so long is read again: words that another process forgets do not stay here. */
const restMs = 300_000

/** An empty one. Its timers must not keep a process from ending. */
export function createSessionCache(timers: Timers): SessionCache {
  const sessions = new Map<string, { readonly known: KnownSession; readonly timer: unknown }>()
  let characters = 0
  let generation = 0

  function drop(id: string): void {
    const found = sessions.get(id)
    if (found === undefined) return
    timers.clear(found.timer)
    sessions.delete(id)
    characters -= sizeOf(found.known)
  }

  function keep(id: string, known: KnownSession): void {
    const found = sessions.get(id)?.known
    if (found !== undefined && isNewer(found, known)) return
    drop(id)
    if (sizeOf(known) > maxCharacters) return
    sessions.set(id, { known, timer: timers.set(() => drop(id), restMs) })
    characters += sizeOf(known)
    for (const oldest of sessions.keys()) {
      if (characters <= maxCharacters) return
      drop(oldest)
    }
  }

  return {
    get: (key) => sessions.get(sessionRowId(key))?.known,
    keeper() {
      const begun = generation
      return (key, known) => {
        const id = sessionRowId(key)
        if (known === undefined) drop(id)
        else if (begun === generation) keep(id, known)
      }
    },
    clear() {
      generation += 1
      for (const id of sessions.keys()) drop(id)
    },
  }
}

/** What was read while something was written can come after it. */
function isNewer(a: KnownSession, b: KnownSession): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.version > b.version)
}

/** What knowing a session takes beside its words. */
const ownCharacters = 500

function sizeOf({ historyCharacters, size: { whole, changes } }: KnownSession): number {
  return ownCharacters + historyCharacters + whole + changes
}
