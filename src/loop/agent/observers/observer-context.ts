import type { SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { IdGenerator } from "../../../core/ports.ts"
import type { Trust } from "../../../core/value.ts"
import type { ObserverContext } from "../../../memory/services/observer.ts"
import { frozenJson } from "../../../memory/services/store/frozen-json.ts"
import type { SessionNote, SessionStore } from "../../../memory/services/store/session-store.ts"
import type { ObservedTurn } from "../../turn/turn-context.ts"
import { injectionOwner } from "../note-hooks.ts"
import { sessionState } from "../queue/turn-states.ts"
import { injectionPayload } from "./injection-notes.ts"

/** The parts of an agent that observers can use. */
export interface ContextParts {
  readonly store: SessionStore
  readonly ids: IdGenerator
  /** Names of the agent's hooks. */
  readonly hooks: ReadonlySet<string>
  /** Opens a turn of the session. False if the agent is closed. */
  readonly wake: (turn: ObservedTurn, reason: string, trust: Trust) => boolean
}

/** Counts what an observer did in one turn so far. */
export interface Allowance {
  posted: number
  hasWoken: boolean
}

/** The maximum number of notes that an observer leaves in one turn. */
const maxNotes = 32
const maxPayloadLength = 64_000

/** Makes an observer's context for one event. Its methods throw once the observer's time is over. */
export function observerContext(
  name: string,
  parts: ContextParts,
  event: { readonly turn: ObservedTurn; readonly missed: number; readonly signal: AbortSignal; readonly allowance: Allowance },
): ObserverContext {
  const { turn, missed, signal, allowance } = event
  const { key, turnId, wake } = turn.input
  const session = { agent: key.agent, conversation: key.conversation, audience: key.audience }
  const post = async (note: SessionNote): Promise<boolean> => {
    signal.throwIfAborted()
    if (++allowance.posted > maxNotes) throw usage(name, `at most ${maxNotes} notes in one turn`)
    return parts.store.post(session, note)
  }
  return {
    key: { ...key },
    turnId,
    wakeReason: wake,
    missed,
    signal,
    ...reading(parts.store, session, signal),
    post: async (note) => post(checkNote(name, note, parts.hooks)),
    async inject(injection) {
      const payload = injectionPayload(name, injection)
      await post({ id: `${name}:${parts.ids.next("note")}`, owner: injectionOwner, payload })
    },
    wake(reason, { trust = "agent" } = {}) {
      signal.throwIfAborted()
      if (wake !== undefined || allowance.hasWoken || typeof reason !== "string") return false
      allowance.hasWoken = parts.wake(turn, reason, trust)
      return allowance.hasWoken
    },
  }
}

/** The parts of a context that read the session. */
function reading(store: SessionStore, key: SessionKey, signal: AbortSignal): Pick<ObserverContext, "session" | "messages"> {
  return {
    async session() {
      signal.throwIfAborted()
      const record = await store.load(key, { last: 0 })
      const { memoryOn, turns, hooks } = sessionState(record)
      return record && { memoryOn, turns, hookStates: hooks }
    },
    async messages(filter) {
      signal.throwIfAborted()
      return store.messages(key, filter)
    },
  }
}

/** Checks a note. It must be for a hook of the agent, because no one would ever take another one. */
function checkNote(name: string, given: SessionNote, hooks: ReadonlySet<string>): SessionNote {
  const { id, owner, payload } = frozenJson(given, "note")
  if (typeof id !== "string" || id === "" || id.length > 200) throw usage(name, "a note to have an id of 1 to 200 characters")
  if (!hooks.has(owner)) throw usage(name, `a note for a hook of the agent (${[...hooks].join(", ") || "it has none"})`)
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    throw usage(name, "a note's payload to be an object")
  if (JSON.stringify(payload).length > maxPayloadLength)
    throw usage(name, `a note's payload of at most ${maxPayloadLength} characters as JSON`)
  return { id, owner, payload }
}

function usage(name: string, expected: string): PromptStrataError {
  return new PromptStrataError("usage", `The observer ${name}: expected ${expected}.`)
}
