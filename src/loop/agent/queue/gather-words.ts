import { PromptStrataError } from "../../../core/errors.ts"
import { pause } from "../../../core/timers.ts"
import type { TurnFailure, TurnResult } from "../../../trace/turn-event.ts"
import type { TurnInput } from "../../turn/turn-context.ts"
import { mayMerge, move, newerMessage, type QueuedTurn } from "./turn-states.ts"
import { keepToAnswer, wordsToAnswer } from "./waiting-words.ts"

/**
 * Waits until no message can join a turn's words any more (`merge_ms`), before the turn's time begins. From then on a message that
 * comes joins the turn or ends it, as `interrupt` says. Throws the reason of a turn that was ended.
 */
export async function gather(turn: QueuedTurn): Promise<void> {
  const { session, signal, atMs, place } = turn
  const { ports, profile } = session.agent
  const leftMs = atMs + profile.conversation.mergeMs - ports.clock.nowMs()
  signal.throwIfAborted()
  if (mayMerge(turn) && leftMs > 0 && session.places === place) {
    // Whatever is asked of the session now stands between this message and those that come later.
    const called = new AbortController()
    session.onCall = () => called.abort()
    await pause(leftMs, { timers: ports.timers, signal: AbortSignal.any([signal, called.signal]) })
  }
  const look = (): void => meetNext(turn)
  session.onCall = look
  look()
  signal.throwIfAborted()
}

/** Joins a turn's words to those of the next message, or ends the turn for it. */
function meetNext(turn: QueuedTurn): void {
  const { session, abort } = turn
  const all = [...session.open]
  const later = all.slice(all.indexOf(turn) + 1)
  const next = later.find(({ call, signal }) => call.kind === "message" && !signal.aborted)
  const met = next && newerMessage(turn, next, session.agent.profile.conversation)
  if (next === undefined || met === undefined) return
  const { turnId } = next.input
  if (met.effect === "joins") {
    turn.joinedTo = turnId
    next.joined.push(...turn.joined, turn)
    if (turn.state === "planning") abort(new PromptStrataError("aborted", "The words joined those of a newer message."))
  } else if (met.effect === "ends")
    abort(new PromptStrataError("aborted", "The turn was ended by a newer message.", { evidence: { interruptedBy: turnId } }))
  else next.waited ??= met.why
}

/** The input of a turn that met others: with the items of those that joined it, and the reason if there is one that it could not join. */
export function withJoined(input: TurnInput, { joined, waited }: QueuedTurn): TurnInput {
  const met = joined.filter(({ state }) => state === "joined")
  if (met.length === 0 && waited === undefined) return input
  return {
    ...input,
    inject: [...met.flatMap(({ inject }) => inject), ...input.inject],
    merged: { turns: [], words: input.text, waited, back: 0 },
  }
}

/**
 * Ends a turn whose words another turn answers. They are in the history, as words without an answer of their own, once this resolves.
 * If they cannot be stored, the turn has failed.
 */
export async function endJoined(turn: QueuedTurn, ended: TurnFailure): Promise<TurnResult> {
  const { input, session, atMs } = turn
  const error = await keepToAnswer(session.agent, input, wordsToAnswer(input, atMs), "joined another")
  const { error: _, ...trace } = ended.trace
  if (error) return { ok: false, error, gathered: ended.gathered, trace: { ...trace, error } }
  move(turn, "joined")
  return { ok: true, text: "", stopReason: "joined", joinedTo: turn.joinedTo ?? "", usage: trace.usage, trace }
}
