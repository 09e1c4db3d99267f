import { PromptStrataError } from "../../../core/errors.ts"
import { pause, whatHappened, within } from "../../../core/timers.ts"
import type { TurnEvent, TurnResult } from "../../../trace/turn-event.ts"
import type { AgentContext, TurnInput } from "../../turn/turn-context.ts"
import type { TurnBeginning } from "../create-turn-context.ts"
import { maxMessages } from "../session-state.ts"
import type { Arrival, Arrivals } from "../turn.ts"
import { wordsToAnswer } from "./left-words.ts"

/**
 * Waits until no message can join a turn's words any more (`merge_ms`), before the turn's time begins. From then on a message that
 * arrives joins the turn or ends it, as `interrupt` says. Throws the reason of a turn that was ended.
 */
export async function meet(agent: AgentContext, arrivals: Arrivals, own: Arrival): Promise<void> {
  const { signal } = own.running
  const { ports, profile } = agent
  const { mergeMs } = profile.conversation
  const leftMs = own.atMs + mergeMs - ports.clock.nowMs()
  own.stage = "waiting"
  own.inject ??= own.turn.input.inject
  signal.throwIfAborted()
  if (mayMerge(own) && leftMs > 0 && arrivals.places === own.place) {
    // Whatever is asked of the session now stands between this message and those that come later.
    const met = new AbortController()
    arrivals.onArrival = () => met.abort()
    await pause(leftMs, { timers: ports.timers, signal: AbortSignal.any([signal, met.signal]) })
  }
  const look = (): void => meetNext(agent, arrivals, own)
  arrivals.onArrival = look
  look()
  signal.throwIfAborted()
}

/** Stages in which a turn can be ended. */
const endable: readonly Arrival["stage"][] = ["waiting", "planning", "calling", "shown"]

/** Joins a turn's words to those of the next message, or ends the turn for it. */
function meetNext({ profile }: AgentContext, arrivals: Arrivals, own: Arrival): void {
  if (!arrivals.open.has(own.turn) || !endable.includes(own.stage) || own.joinedTo !== undefined || own.running.signal.aborted)
    return
  const [next] = laterMessages(own, arrivals)
  if (next === undefined) return
  const { interrupt, mergeMs } = profile.conversation
  const { turnId } = next.turn.input
  const isWithin = mergeMs > 0 && next.atMs - own.atMs <= mergeMs
  const why = whyAlone(own, next) ?? (isWithin || interrupt === "join" ? undefined : "it came later than merge_ms")
  if (why === undefined) {
    own.joinedTo = turnId
    next.joined.push(...own.joined, own)
    if (own.stage === "planning")
      own.running.abort(new PromptStrataError("aborted", "The words joined those of a newer message."))
  } else if (interrupt === "abort" && own.running.canEnd)
    own.running.abort(
      new PromptStrataError("aborted", "The turn was ended by a newer message.", { evidence: { interruptedBy: turnId } }),
    )
  else next.waited ??= why
}

/** The messages after a turn that were not aborted. */
function laterMessages(own: Arrival, { open }: Arrivals): readonly Arrival[] {
  const all = [...open.values()]
  return all.slice(all.indexOf(own) + 1).filter((each) => isMessage(each) && !each.running.signal.aborted)
}

const isMessage = ({ turn, running }: Arrival): boolean => running.replace === undefined && turn.input.wake === undefined

/** False for turns whose options hold for their own words alone. */
const mayMerge = (arrival: Arrival): boolean => isMessage(arrival) && arrival.turn.input.control === undefined

/** The reason why two turns cannot be one; undefined if they can. */
function whyAlone(own: Arrival, next: Arrival): string | undefined {
  if (own.stage === "shown") return "a part of the answer before it was shown"
  if (own.stage === "calling") return "a tool of the turn before it had begun to run"
  if (!mayMerge(next)) return "it has options of its own"
  if (!mayMerge(own)) return "the turn before it has options of its own, or no words"
  if (next.place !== own.place + 1) return "another call stands between it and the message before"
  return own.joined.length + 2 > maxMessages ? `the turn before it answers ${maxMessages} messages` : undefined
}

/** Events that a person sees, or that a call of the model causes. */
const stages: { readonly [T in TurnEvent["type"]]?: "shown" | "calling" } = {
  "text-delta": "shown",
  bubble: "shown",
  attachment: "shown",
  emotion: "shown",
  "output-event": "shown",
  "partial-output": "shown",
  "empty-reply": "shown",
  "tool-start": "calling",
  "confirm-start": "calling",
}

/** The beginning of a turn that keeps in mind how far it has come. */
export function followed(own: Arrival, begin: TurnBeginning): TurnBeginning {
  own.stage = "planning"
  const emit = (event: TurnEvent): void => {
    const stage = stages[event.type]
    if (stage !== undefined && endable.includes(own.stage)) own.stage = stage
    begin.emit(event)
  }
  return { ...begin, emit }
}

/** The input of a turn that met others: with the items of those that joined it, and the reason if there is one that it could not join. */
export function withJoined(input: TurnInput, { joined, waited }: Arrival): TurnInput {
  const met = joined.filter(({ stage }) => stage === "joined")
  if (met.length === 0 && waited === undefined) return input
  return {
    ...input,
    inject: [...met.flatMap(({ inject = [] }) => inject), ...input.inject],
    merged: { turns: [], words: input.text, waited, back: 0 },
  }
}

/**
 * Ends a turn whose words another turn answers. They are in the history, as words without an answer of their own, once this resolves.
 * If they cannot be stored, the turn has failed.
 */
export async function endJoined(
  { store, blobs, ports, profile }: AgentContext,
  input: TurnInput,
  { arrival, ended }: { readonly arrival: Arrival; readonly ended: TurnResult & { readonly ok: false } },
): Promise<TurnResult> {
  const { key, bytes } = input
  const timeoutMs = profile.limits.toolMs
  const words = wordsToAnswer(input, arrival.atMs)
  const outcome = await within({ timeoutMs, timers: ports.timers }, async () => {
    for (const each of bytes?.values() ?? []) await blobs.put(each, key)
    if (words.length > 0) await store.append(key, words)
  })
  const { error: _, ...trace } = ended.trace
  if (outcome.status === "done") {
    arrival.stage = "joined"
    return { ok: true, text: "", stopReason: "joined", joinedTo: arrival.joinedTo ?? "", usage: trace.usage, trace }
  }
  const message = `Keeping the words of a message that joined another ${whatHappened(outcome, timeoutMs)}. They may be missing in the conversation.`
  const error = new PromptStrataError("session-store", message, {
    cause: outcome.status === "failed" ? outcome.error : undefined,
    hint: "Look into the session before you pass them again.",
  })
  return { ok: false, error, gathered: ended.gathered, trace: { ...trace, error } }
}
