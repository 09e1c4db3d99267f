import type { HistoryMessage } from "../../../core/conversation.ts"
import type { TurnResult } from "../../../trace/turn-event.ts"
import type { Deadline } from "../../turn/deadline.ts"
import type { TurnInput } from "../../turn/turn-context.ts"
import { emptyRecord } from "../session-state.ts"
import { runSessionTurn, withWholeHistory } from "../session-turn.ts"
import { loadDetours } from "./load-detours.ts"
import { readInput } from "./read-input.ts"
import { isWaiting, maxMessages, move, type QueuedTurn, rulesOf, type SessionAtRest } from "./turn-states.ts"

/** The time until a turn that has to wait looks again. */
export interface Wait {
  readonly waitMs: number
}

/** How often a message looks whether those before it have begun. */
const lookMs = 250

/**
 * Begins a turn whose place has come: makes its input, now that its session was read, reads its attachments and runs it. Of a message
 * that has to wait for an approval it says how long, until it looks again.
 */
export async function runQueuedTurn(turn: QueuedTurn, rest: SessionAtRest, deadline: Deadline): Promise<TurnResult | Wait> {
  const { call, session } = turn
  const { kept, attachments } = turn.input
  const at = kept || session.unsettled.size > 0 ? await withWholeHistory(rest) : rest
  const given = call.makeInput(turn.input.turnId, at.record ?? emptyRecord)
  const words = kept ? { ...given, kept, attached: [], attachments } : given
  const isAlone = turn.joined.length === 0 && turn.waited === undefined
  const made = isAlone ? words : (await loadDetours()).withJoined(words, turn)
  const beginning = call.replace ? await call.replace(at) : rulesOf(turn).waits ? await besideWaiting(turn, at, made) : undefined
  if (beginning && "waitMs" in beginning) {
    move(turn, "hold")
    if (!kept) await (await loadDetours()).keepWaiting(turn, words, deadline.signal)
    return beginning
  }
  deadline.signal.throwIfAborted()
  const input: TurnInput = { ...made, ...beginning?.input }
  turn.input = input.attached.length === 0 ? input : await readInput(session.agent, input, deadline)
  const begun = beginning?.record ?? at.record
  const mayAnswer = (input.kept || hasWordsToAnswer(begun?.history)) && input.wake === undefined && !input.resumes
  const record = mayAnswer ? (await loadDetours()).withUnanswered(turn, begun) : begun
  move(turn, "plan")
  return runSessionTurn(turn, record, deadline)
}

/** The beginning of a message while a call waits for an approval, or how long it has to wait for that, or for messages that came before it. */
async function besideWaiting(turn: QueuedTurn, at: SessionAtRest, input: TurnInput) {
  if (at.record?.state.approval !== undefined) return (await loadDetours()).besideOpen(at, input)
  // Their words are in the history already, where messages that may join find them.
  if (turn.meets) return undefined
  for (const other of turn.session.open) {
    if (other === turn) return undefined
    if (rulesOf(other).waits && isWaiting(other)) return { waitMs: lookMs }
  }
  return undefined
}

/** True if the newest messages have words that nobody answered although an answer was to come. */
function hasWordsToAnswer(history: readonly HistoryMessage[] = []): boolean {
  // No slice, which takes long on a frozen list.
  for (let at = Math.max(0, history.length - 2 * maxMessages); at < history.length; at++)
    if (history[at]?.toAnswer === true) return true
  return false
}
