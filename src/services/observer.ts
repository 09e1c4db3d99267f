import type { ServiceKey } from "../core/keys.ts"
import type { TurnEvent } from "../trace/turn-event.ts"
import type { TurnResult } from "../trace/turn-result.ts"
import type { SessionNote } from "./session-store.ts"

/** How a turn ended, as observers see it: without its trace, which hooks get after the turn. */
export type ObservedResult =
  | Omit<Extract<TurnResult, { ok: true }>, "trace">
  | {
      readonly ok: false
      readonly error: { readonly code: string; readonly message: string }
      readonly gathered: { readonly text: string }
    }

/** An event of a turn as plain data of the observer's own: a copy that it may keep and change. */
export type ObservedEvent =
  | Exclude<TurnEvent, { type: "turn-end" | "child" }>
  | { readonly type: "turn-end"; readonly result: ObservedResult }
  | { readonly type: "child"; readonly id: string; readonly name: string; readonly event: ObservedEvent }

/** Text that an observer wants in the next turn's prompt. */
export interface ObservedInjection {
  /** Letters, digits, `_` and `-`, at most 64. The newest of one key wins; it lands in the rest slot as `OBSERVER:KEY`. */
  readonly key: string
  /** At most 4,000 UTF-16 units; the agent's own words, so it is encoded like everything that no author wrote. */
  readonly text: string
  /** Where it stands among others; default 100. */
  readonly priority?: number
}

/** What an observer can do. Nothing of it reaches the turn that it watches. */
export interface ObserverContext {
  readonly key: ServiceKey
  readonly turnId: string
  /** Why the turn began, where nobody spoke. */
  readonly wakeReason?: string
  /** Events that were left out since the last one that it was told, because it was too slow. */
  readonly missed: number
  /** Aborts when the event's time is up. */
  readonly signal: AbortSignal
  /** Leaves a note for a hook of the agent, for the session's next turn. False where the id is known. Throws `usage` for what is no note. */
  post(note: SessionNote): Promise<boolean>
  /** Puts text into the session's next turn, once. Throws `usage` for a key or a text out of bounds. */
  inject(injection: ObservedInjection): Promise<void>
  /** Opens a turn in which nobody spoke (R27). False, and nothing happens, in an event of such a turn: one wake begets no other. */
  wake(reason: string): boolean
}

/**
 * Watches an agent's turns beside them (R26): collects, records, and leaves things for the next turn. Events come one after the
 * other, each within its time limit; while it is slow they queue up to a bound, then are left out and counted. What it throws
 * is a warning; after several failures in a row it is told no more. A turn never waits for it.
 */
export interface Observer {
  /** Such as `main-observer`: letters, digits, `_` and `-`. Unique among an agent's observers. */
  readonly name: string
  /** The events that it wants. Default: all. */
  readonly events?: readonly TurnEvent["type"][]
  /** For one event, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number
  /** Events that wait, at most. Default 1,000. */
  readonly maxQueued?: number
  observe(event: ObservedEvent, context: ObserverContext): void | Promise<void>
}
