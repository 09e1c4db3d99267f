import type { HistoryMessage, SessionKey } from "../../../core/conversation.ts"
import { recordOf } from "../../../core/json-access.ts"
import type { Injection } from "../../../core/value.ts"
import type { SessionRecord } from "../../../memory/services/store/session-store.ts"
import type { Profile } from "../../../profile/profile.ts"
import type { Assembler } from "../../../prompt/assemble/assembler.ts"
import type { PromptStack } from "../../../prompt/stack/prompt-stack.ts"
import type { TurnEvent } from "../../../trace/turn-event.ts"
import type { AgentContext, ObservedTurn, SessionState, TurnInput } from "../../turn/turn-context.ts"

/**
 * The states of a turn in its session's queue, from its call to its end, each with its signals and the states that follow. A signal
 * that a state does not name changes nothing. README.md draws the table.
 */
export const turnStates = {
  /** Earlier work of the session goes first. */
  queued: { place: "gathering", fail: "ended" },
  /** Its place has come: newer words may join its own (`merge_ms`), then the session is read and its input made. */
  gathering: { hold: "held", plan: "planning", joined: "joined", fail: "ended" },
  /** It gave its place away, because a call waits for an approval. It looks again and again; the history has its words. */
  held: { look: "queued", fail: "ended" },
  /** The loop runs, and nothing of it was seen. */
  planning: { call: "calling", show: "shown", store: "storing", joined: "joined", fail: "ended", end: "ended" },
  /** A tool has begun to run. */
  calling: { show: "shown", store: "storing", joined: "joined", fail: "ended", end: "ended" },
  /** A person has seen a part of the answer. */
  shown: { call: "calling", store: "storing", joined: "joined", fail: "ended", end: "ended" },
  /** The store writes its commit. */
  storing: { joined: "joined", fail: "ended", end: "ended" },
  /** The history has its words, for a newer turn to answer. */
  joined: {},
  ended: {},
} as const satisfies Record<string, Partial<Record<Signal, string>>>

type Signal = "place" | "hold" | "look" | "plan" | "call" | "show" | "store" | "joined" | "fail" | "end"
type State = keyof typeof turnStates

/** The signals of events. Those of `show` are seen by a person, or cannot be taken back. */
export const signalsOf: { readonly [T in TurnEvent["type"]]?: Signal } = {
  "text-delta": "show",
  bubble: "show",
  attachment: "show",
  emotion: "show",
  "output-event": "show",
  "partial-output": "show",
  "empty-reply": "show",
  "tool-start": "call",
  "confirm-start": "call",
  "turn-end": "end",
}

/** The kinds of turns in a queue. */
export const turnKinds = {
  /** Somebody's words, by `send` or `receive`. They may join others, and they wait while a call waits for an approval. */
  message: { waits: true, keepsWords: true, canEnd: true },
  wake: { waits: false, keepsWords: false, canEnd: true },
  /** A second thought, by `regenerate` or `edit`. It comes in the place of other turns, which stay if it fails. */
  again: { waits: false, keepsWords: false, canEnd: true },
  /** The answer to a call that waits, by `approve`, `deny` or `answerCall`, with which an open turn goes on. No message ends it. */
  answer: { waits: false, keepsWords: false, canEnd: false },
} as const

/** States in which a newer message reaches a turn, and the reason why it can join the turn no more. */
const reachable: { readonly [S in State]?: string | undefined } = {
  gathering: undefined,
  planning: undefined,
  calling: "a tool of the turn before it had begun to run",
  shown: "a part of the answer before it was shown",
}

/** False for turns whose options hold for their own words alone. */
export const mayMerge = ({ call, input }: QueuedTurn): boolean => call.kind === "message" && input.control === undefined

/** The most messages that one turn answers. Otherwise somebody who goes on writing would never be answered. */
export const maxMessages = 20

/**
 * The effect of a newer message on a turn: the turn's words join it, the turn is ended for it, or it waits. Undefined in a state in
 * which no message reaches the turn, and for one whose words have joined another already.
 */
export function newerMessage(
  turn: QueuedTurn,
  next: QueuedTurn,
  { interrupt, mergeMs }: Profile["conversation"],
): { readonly effect: "joins" | "ends" | "waits"; readonly why?: string } | undefined {
  if (!(turn.state in reachable) || turn.joinedTo !== undefined || turn.signal.aborted) return undefined
  const isWithin = mergeMs > 0 && next.atMs - turn.atMs <= mergeMs
  const why = whyAlone(turn, next) ?? (isWithin || interrupt === "join" ? undefined : "it came later than merge_ms")
  if (why === undefined) return { effect: "joins" }
  return interrupt === "abort" && turnKinds[turn.call.kind].canEnd ? { effect: "ends" } : { effect: "waits", why }
}

/** The reason why two turns cannot be one; undefined if they can. */
function whyAlone(turn: QueuedTurn, next: QueuedTurn): string | undefined {
  const shown = reachable[turn.state]
  if (shown !== undefined) return shown
  if (!mayMerge(next)) return "it has options of its own"
  if (!mayMerge(turn)) return "the turn before it has options of its own, or no words"
  if (next.place !== turn.place + 1) return "another call stands between it and the message before"
  return turn.joined.length + 2 > maxMessages ? `the turn before it answers ${maxMessages} messages` : undefined
}

/**
 * The messages of a history that work needs: those that a prompt shows and, besides, enough for the condition to hold of the newest
 * ones; or all. A conversation can be long, and most turns need its newest messages alone.
 */
export type HistoryNeed = "all" | ((newest: readonly HistoryMessage[]) => boolean)

/** The id of the turn of a message. */
export const turnIdOf = (messageId: string): string => messageId.slice(0, messageId.lastIndexOf(":"))

/** The need of a turn whose words reply to the message of an id: all messages of that one's turn. */
export function turnOf(replyTo: unknown): HistoryNeed | undefined {
  if (typeof replyTo !== "string") return undefined
  const turnId = turnIdOf(replyTo)
  return (newest) => newest[0]?.turnId !== turnId && newest.some((message) => message.turnId === turnId)
}

/** The need of a wake: the words of the person whom it is for. */
export const hasWordsOfUser = (newest: readonly HistoryMessage[]): boolean => newest.some(({ role }) => role === "user")

/** The call of a turn. */
export interface TurnCall {
  readonly kind: keyof typeof turnKinds
  /** Called at once, and again with the record once the session is loaded. */
  readonly makeInput: (turnId: string, record?: SessionRecord) => TurnInput
  /** Makes the beginning of a turn that comes in the place of others. */
  readonly replace?: ((at: SessionAtRest) => Promise<Replacement>) | undefined
  readonly needed?: HistoryNeed | undefined
  readonly signal: AbortSignal | undefined
  /** Default: a new id. */
  readonly turnId?: string | undefined
}

/** The beginning of a turn that comes in the place of others: the session without them, and the words. */
export interface Replacement {
  readonly record: SessionRecord
  readonly input: Partial<TurnInput>
}

/** A turn of a session from its call to its end. */
export interface QueuedTurn extends ObservedTurn {
  readonly session: LiveSession
  readonly call: TurnCall
  /** The number of its place in the queue. */
  readonly place: number
  readonly atMs: number
  /** The items that were given with it. */
  readonly inject: readonly Injection[]
  readonly emit: (event: TurnEvent) => void
  readonly signal: AbortSignal
  readonly abort: (reason: unknown) => void
  state: State
  /** True if messages of the session can share an answer or end one (`[conversation] merge_ms`, `interrupt`). */
  meets: boolean
  /** The turns whose words it answers too, the oldest first. */
  readonly joined: QueuedTurn[]
  /** The id of the turn that answers its words. */
  joinedTo?: string | undefined
  /** The reason why it answers its words alone. */
  waited?: string | undefined
}

/** Takes a turn to the state that follows a signal. False if its state knows no such signal. */
export function move(turn: QueuedTurn, signal: Signal): boolean {
  const next = (turnStates[turn.state] as { readonly [S in Signal]?: State })[signal]
  turn.state = next ?? turn.state
  return next !== undefined
}

/** True while a turn has neither begun nor ended. */
export const isWaiting = ({ state }: QueuedTurn): boolean => state === "queued" || state === "gathering" || state === "held"

/** True once the loop ran, which then ends the turn. */
export const hasBegun = (turn: QueuedTurn): boolean => !isWaiting(turn) && turn.state !== "ended"

/** A session of this process: its queue, and all that outlives a turn of it. */
export interface LiveSession {
  readonly key: SessionKey
  /** The agent that the session has; its first turn may bring a newer one. */
  readonly agent: AgentContext
  readonly stack: PromptStack
  /** Remembers its requests. */
  readonly assembler: Assembler
  /** Its turns that are not over, in the order of their calls. */
  readonly open: Set<QueuedTurn>
  /** The number of the last place in the queue. */
  readonly places: number
  /** Called when anything is asked of the session. */
  onCall: (() => void) | undefined
  /** Commits of unknown outcome. Most sessions have none. */
  readonly unsettled: Set<UnsettledCommit>
  /** The version before the last one of them that turned out to be written. */
  late: number | undefined
}

/** A session between two turns, so that it can be changed. The record is undefined for a new one. */
export interface SessionAtRest {
  readonly session: LiveSession
  readonly record: SessionRecord | undefined
  readonly signal: AbortSignal
}

/** A commit that was given up while the store worked on it. */
export interface UnsettledCommit {
  readonly input: TurnInput
  /** The turn's own stack. */
  readonly stack: PromptStack
  readonly expectVersion: number
  /** True if it appends messages, by which it can be found in the session. */
  readonly hasMessages: boolean
}

/** The record of a session of which nothing is stored. */
export const emptyRecord: SessionRecord = { version: 0, history: [], earlier: 0, state: {}, notes: [] }

/** Reads the agent's part of a record's state. A field that is missing or of another form counts as in a new session. */
export function sessionState(record: SessionRecord | undefined): SessionState {
  const { memoryOn, memorySinceMs, turns, hooks, markerId } = record?.state ?? {}
  const isCount = Number.isSafeInteger(turns) && (turns as number) >= 0
  return {
    memoryOn: memoryOn !== false,
    memorySinceMs: typeof memorySinceMs === "number" ? memorySinceMs : undefined,
    turns: isCount ? (turns as number) : 0,
    hooks: recordOf(hooks),
    markerId: typeof markerId === "string" && /^[0-9a-z]+$/.test(markerId) ? markerId : undefined,
  }
}
