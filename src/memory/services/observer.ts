import type { HistoryMessage, ServiceKey } from "../../core/conversation.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import type { Trust } from "../../core/value.ts"
import type { ToolRecord } from "../../prompt/tools/tool.ts"
import type { TurnAnswer, TurnEvent } from "../../trace/turn-event.ts"
import type { MessageFilter, SessionNote } from "./store/session-store.ts"

/** The result of a turn for observers: without the trace, which hooks get after the turn, but with what tools changed. */
export type ObservedResult =
  | (Omit<TurnAnswer, "trace"> & {
      /** Side effects of tools, such as written files, also of tools of child agents. */
      readonly records: readonly Pick<ToolRecord, "kind" | "tool" | "summary">[]
      /** Tools whose call the answer owed and that did not come (R16); absent if there are none. */
      readonly unreported?: readonly string[] | undefined
    })
  | {
      readonly ok: false
      readonly error: { readonly code: string; readonly message: string }
      readonly gathered: { readonly text: string }
    }

/** An event of a turn as plain data. It is a copy, so an observer may keep and change it. */
export type ObservedEvent =
  | Exclude<TurnEvent, { type: "turn-end" | "child" }>
  | { readonly type: "turn-end"; readonly result: ObservedResult }
  | { readonly type: "child"; readonly id: string; readonly name: string; readonly event: ObservedEvent }

/** A session as its last committed turn left it. */
export interface ObservedSession {
  /** False if the conversation's memory is switched off: then an observer must neither read nor write memories (D2). */
  readonly memoryOn: boolean
  /** Turns that were committed. */
  readonly turns: number
  /** The state that each hook keeps, by the hook's name. */
  readonly hookStates: Readonly<Record<string, unknown>>
}

/** Text that an observer puts into the next turn's prompt. */
export interface ObservedInjection {
  /** Letters, digits, `_` and `-`, at most 64. Of several with one key, the newest is shown. It stands in the rest slot as `OBSERVER:KEY`. */
  readonly key: string
  /** At most 4,000 UTF-16 units. It is encoded like all text that no author wrote. */
  readonly text: string
  /** Its order among other injections; default 100. */
  readonly priority?: number
}

/**
 * The event's turn, and what an observer can do. Nothing of it changes the turn that is observed. Its methods throw once the time of
 * the event is over. An observer may leave at most 32 notes and injections in one turn.
 */
export interface ObserverContext {
  readonly key: ServiceKey
  readonly turnId: string
  /** The reason of a turn in which nobody spoke (R27). */
  readonly wakeReason?: string | undefined
  /** The number of events that were left out since the last one, because the observer was too slow. */
  readonly missed: number
  /** Aborts when the time of the event is over. */
  readonly signal: AbortSignal
  /** The session as the last committed turn left it; undefined before the first one. */
  session(): Promise<ObservedSession | undefined>
  /** The conversation's messages that meet a filter (R13). */
  messages(filter: MessageFilter): Promise<readonly HistoryMessage[]>
  /** Leaves a note for a hook of the agent in the session's next turn; false if its id is known. Throws `usage` for an invalid note. */
  post(note: SessionNote): Promise<boolean>
  /** Puts text into the session's next turn, once. Throws `usage` for a key or a text out of bounds. */
  inject(injection: ObservedInjection): Promise<void>
  /** Starts a turn in which nobody spoke (R27), at most one for each turn. False, and nothing happens, if the event is of such a turn: wakes do not cause each other. `trust` says whose words the reason is; default `agent`. */
  wake(reason: string, options?: { readonly trust?: Trust }): boolean
}

/**
 * Watches an agent's turns without slowing them (R26). It can record events, and leave notes and text for the next turn.
 *
 * `observe` is called for one event at a time, in their order, over all conversations of the agent. Events that arrive while it runs
 * wait in a bounded queue; further ones are left out and counted. A failure or a timeout of `observe` is reported as a warning and
 * followed by a pause; after five in a row the observer gets no more events. A turn never waits for an observer.
 */
export interface Observer {
  /** Letters, digits, `_` and `-`, such as `main-observer`. Unique among an agent's observers. */
  readonly name: string
  /** The types of events that it gets. Default: all. */
  readonly events?: readonly TurnEvent["type"][]
  /** The time for one event, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number
  /** The most events that may wait. Default 1,000. */
  readonly maxQueued?: number
  observe(event: ObservedEvent, context: ObserverContext): void | Promise<void>
}

const keyPattern = lazyPattern("^[A-Za-z0-9_-]{1,64}$", "u")

/** True for a valid name of an observer or of its injection. Names are printed in prompts without encoding. */
export function isPlainKey(key: unknown): key is string {
  return typeof key === "string" && keyPattern().test(key)
}
