import type { HistoryMessage, ServiceKey, SessionKey, Speaker } from "../../core/conversation.ts"
import type { TokenCounter } from "../../core/ports.ts"
import type { LoreDecision } from "../../core/span.ts"
import type { PromptStack } from "../../prompt/stack/prompt-stack.ts"
import type { Tool, ToolRun } from "../../prompt/tools/tool.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import type { Memory } from "./memory/memory-service.ts"
import type { MessageFilter, SessionNote, StoredTurn } from "./store/session-store.ts"

/**
 * The state that a hook keeps with a session: plain JSON. It is committed with the turn in which it was set, and lost if that turn is
 * aborted. Tools that the hook added can set it while their turn runs. A hook that failed or exceeded its time sets nothing.
 */
export interface HookState {
  /** The value as it was last set; undefined at first. */
  get(): unknown
  /** Replaces the value. Throws `usage` if it is not plain JSON, and once the turn has ended. */
  set(value: unknown): void
}

/**
 * The turn that begins, and what a hook can do in it. Everything here can be kept and works until the turn ends, but for the five calls
 * whose changes its first request shows: these work in `beforeTurn` alone. A change that comes too late throws `usage`, also one of a
 * hook that has failed or taken too long. What was given can be read at any time.
 */
export interface BeforeTurnContext {
  readonly turnId: string
  readonly key: ServiceKey
  readonly agentName: string
  readonly speaker: Speaker
  /** The user's message; empty if nobody spoke. */
  readonly question: string
  /** The reason of a turn in which nobody spoke (R27). */
  readonly wake?: string | undefined
  /** The messages before the question that this turn's prompt can show, oldest first. */
  readonly history: readonly HistoryMessage[]
  /** False if the conversation's memory is switched off: then a hook must neither read nor write memories (D2). */
  readonly memoryOn: boolean
  /**
   * A copy of the stack. Add `turn` items, which last for this turn, or `session` items, which are kept when the turn commits. Once
   * the hook is done it is the turn's own stack: what is added then, by a tool or a listener, stands in the turn's next requests.
   */
  readonly stack: PromptStack
  /** This hook's own state in this session. */
  readonly state: HookState
  /**
   * An object that the session remembers for `owner`, an object of the hook's own: the one that `make` gave at first. It holds results
   * that can be made again, because it is lost when the session ends or a store forgets.
   */
  cached<Result extends object>(owner: object, make: () => Result): Result
  /** Notes that were left for this hook since the last turn. If this turn is not committed, the next one gets them again. */
  readonly notes: readonly SessionNote[]
  /** The turn's number in its conversation, from 0. */
  readonly turn: number
  /** When the turn began, in milliseconds since 1970. */
  readonly startedMs: number
  /** Counts tokens as the turn's budget does. */
  readonly counter: TokenCounter
  /** Tokens that a request of the turn may have; undefined: no limit. */
  readonly budgetTokens: number | undefined
  /** Aborts with the turn and when the hook's time is over. */
  readonly signal: AbortSignal
  /** The conversation's messages that meet a filter, also those outside `history` (R13). Tools that the hook adds can call it too. */
  messages(filter: MessageFilter): Promise<readonly HistoryMessage[]>
  /** Recalls memories, until the turn ends. Absent if the agent has no memory, or if the conversation's is switched off (D2). */
  readonly recall?:
    | ((query: string, options: { readonly limit: number; readonly signal: AbortSignal }) => Promise<readonly Memory[]>)
    | undefined
  /** Shows `text` in place of the answer of an earlier turn, in this turn's prompts only (R12). In `beforeTurn` only. */
  replaceAnswer(turnId: string, text: string): void
  /** The same for the user's words of an earlier turn; without a turn for the question. In `beforeTurn` only. */
  replaceWords(turnId: string | undefined, text: string): void
  /** Begins the history in this turn's prompts with the first message of a turn (R11). A turn that is not in `history` changes nothing. In `beforeTurn` only. */
  startHistoryAt(turnId: string): void
  /** Says which entries of lorebooks the hook looked at, for the turn's trace (C18). In `beforeTurn` only. */
  explain(lore: readonly LoreDecision[]): void
  /** Calls `listener` after each tool run that the model asks for in this turn, from then on. If it throws, the turn reports a warning. */
  onRun(listener: (run: ToolRun) => void): void
  /** Adds tools for this turn. A tool whose name is taken is left out, with a warning. In `beforeTurn` only. */
  addTools(tools: readonly Tool[]): void
  /** Removes tools for this turn. A tool added under the same name takes the place of the removed one, with the same visibility. In `beforeTurn` only. */
  withdrawTools(names: readonly string[]): void
  /**
   * Reports a warning of the turn without failing the hook. With kind `document`, about a file that the agent keeps, the agent's
   * `onWarning` gets it too: a program may show no warnings of turns. Default `hook`.
   */
  warn(message: string, kind?: "hook" | "document"): void
}

/** A turn that has ended. */
export interface AfterTurnContext
  extends Pick<BeforeTurnContext, "turnId" | "key" | "speaker" | "question" | "wake" | "memoryOn" | "signal"> {
  /** The result of the turn, failed ones too, with its trace. */
  readonly result: TurnResult
}

/** A history that is about to end elsewhere, with what a hook keeps in its session. */
export interface SetAsideContext {
  readonly key: SessionKey
  /** The turns that leave the history: its end, oldest first. */
  readonly turns: readonly StoredTurn[]
  /** The turns that come back in their place, oldest first (`Session.choose`). */
  readonly back: readonly StoredTurn[]
  /** The hook's state; undefined if it has none. */
  readonly state: unknown
  /** Notes that wait for the hook. They are taken with this. */
  readonly notes: readonly SessionNote[]
  /** The number of the conversation's next turn. */
  readonly turn: number
  /** Now, in milliseconds since 1970. */
  readonly atMs: number
}

/**
 * Code that runs around turns. The hooks of an agent run one after the other, in the order given. A hook that throws or exceeds its time
 * is reported as a warning and never fails the turn; what it did in its context is then discarded.
 *
 * Turns of different conversations run concurrently, and so do their hooks. Anything that a hook keeps for a session belongs in
 * `state`, not in variables of its own.
 */
export interface TurnHook {
  /** Unique among an agent's hooks. Its state is kept under this name, so a new name begins with an empty state. */
  readonly name: string
  /** Runs before the first model call, while prestart tools and recall run, within `limits.prestartMs`. */
  beforeTurn?(context: BeforeTurnContext): void | Promise<void>
  /** Runs in the background once the turn has ended, within `limits.toolMs`. Only `agent.idle()` and the next turn's `afterTurn` wait for it. */
  afterTurn?(context: AfterTurnContext): void | Promise<void>
  /**
   * Returns the hook's state without what was drawn from turns that are set aside (`Session.rewind`), and with what was drawn from those
   * that come back (`Session.choose`): plain JSON, or undefined for none. It is stored in the same write. It must be quick and do no
   * I/O. Without this method the state stays as it is.
   */
  setAside?(context: SetAsideContext): unknown
}
