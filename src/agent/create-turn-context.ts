import type { HistoryMessage } from "../core/conversation.ts"
import type { MessageFilter, SessionNote, SessionRecord } from "../services/store/session-store.ts"
import type { TurnHook } from "../services/turn-hook.ts"
import type { TurnEvent } from "../trace/turn-event.ts"
import { noDeadline, startDeadline } from "../turn/deadline.ts"
import type { AgentContext, TurnContext, TurnInput } from "../turn/turn-context.ts"
import { createTurnProgress } from "../turn/turn-progress.ts"
import { injectionHook, injectionOwner } from "./observers/injection-notes.ts"
import { sessionState } from "./session-state.ts"
import { mainProcess } from "./unbegun-turn.ts"

/** Everything that the context of a turn is built from, apart from its agent and its input. */
export interface TurnBeginning {
  readonly record: SessionRecord | undefined
  readonly emit: (event: TurnEvent) => void
  readonly signal: AbortSignal
  /** A preview asks no model and has no time limit. */
  readonly isPreview?: boolean
  /** Present for an agent inside a tool call (R25), which has the conversation of its caller and no memory. */
  readonly child?: Pick<TurnContext, "process" | "depth" | "messages">
}

/** Builds the context of a turn; its time limit starts now. */
export function createTurnContext(agent: AgentContext, input: TurnInput, begin: TurnBeginning): TurnContext {
  const { profile, ports, store } = agent
  const { record, emit, child } = begin
  const { tokens, answerTokens, stepTokens } = profile.budget
  const deadline = begin.isPreview ? noDeadline(begin.signal) : startDeadline(profile.limits.turnMs, ports, begin.signal)
  const session = child ? { ...sessionState(undefined), memoryOn: false } : sessionState(record)
  const notes = record?.notes ?? []
  const history = historyWindow(record?.history ?? [], profile.history, record?.earlier)
  const parts = { agent, input, session, history, emit, signal: deadline.signal }
  return {
    ...parts,
    occasion: input.wake ?? input.text,
    record,
    process: mainProcess,
    depth: 0,
    messages: async (filter: MessageFilter) => store.messages(input.key, filter),
    ...child,
    notes,
    hooks: hooksFor(agent, notes),
    stack: input.stack.fork(),
    budgetTokens: tokens === undefined ? undefined : Math.max(0, tokens - answerTokens),
    reserveTokens: tokens === undefined ? 0 : stepTokens,
    startedMs: ports.clock.nowMs(),
    deadline,
    progress: createTurnProgress(parts),
  }
}

/** The agent's hooks. The hook for the notes of observers runs only in a turn that has such notes. */
function hooksFor({ hooks }: AgentContext, notes: readonly SessionNote[]): readonly TurnHook[] {
  if (!hooks.includes(injectionHook) || notes.some(({ owner }) => owner === injectionOwner)) return hooks
  return hooks.filter((hook) => hook !== injectionHook)
}

/** The way in which history is shortened to a window (T30, S16). */
interface HistoryWindow {
  /** Messages to show: exactly the last so many when it slides, at least so many when it moves in steps. */
  readonly contextCount: number
  /** `slide` moves with every message; `steps` moves by whole windows, so that a provider's cache holds in between. */
  readonly window: "slide" | "steps"
}

/**
 * The messages a turn shows, blank ones skipped. Steps begin at multiples of `contextCount`, counted from the conversation's
 * beginning. So between `contextCount` and twice that are shown, and the beginning rarely moves. `earlier` counts the spoken
 * messages that are older than `history`.
 */
export function historyWindow(
  history: readonly HistoryMessage[],
  { contextCount, window }: HistoryWindow,
  earlier = 0,
): readonly HistoryMessage[] {
  if (contextCount <= 0) return []
  const spoken: HistoryMessage[] = []
  for (const message of history) if (message.text.trim() !== "") spoken.push(message)
  if (window === "slide") return spoken.slice(-contextCount)
  const begin = Math.max(0, Math.floor((earlier + spoken.length - contextCount) / contextCount)) * contextCount
  return spoken.slice(Math.max(0, begin - earlier))
}
