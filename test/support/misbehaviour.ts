import type { FinishReason, Usage } from "../../src/core/model/language-model.ts"
import type { ToolCall } from "../../src/core/span.ts"
import { chatChunk, eventStream } from "./chat-server.ts"
import { type Dice, diceOf } from "./dice.ts"
import { faultAnswer } from "./fault-answers.ts"
import { callDeltas, callsOf, heardText, inAppearance, interleaved, type StreamEvent, spoken } from "./stream-events.ts"

/** One thing a server does while it answers. */
export type Deed =
  | { readonly type: "write"; readonly bytes: Buffer; readonly packetBytes: number }
  /** Waits until the model has told that many characters. */
  | { readonly type: "heard"; readonly characters: number }
  | { readonly type: "pass"; readonly ms: number }
  | { readonly type: "head" }
  | { readonly type: "cut" }
  | { readonly type: "end" }

/** What a client makes of an answer; `text` is what it has heard by then. */
export type Outcome =
  | {
      readonly type: "answer"
      readonly text: string
      readonly reason: FinishReason
      readonly usage?: Usage
      readonly calls: readonly ToolCall[]
    }
  | { readonly type: "fault"; readonly text: string; readonly isRetryable: boolean; readonly retryAfterMs?: number }
  | { readonly type: "stall"; readonly text: string }

/** How a server answers one request, and what must come of it. */
export interface Misbehaviour {
  readonly name: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly deeds: readonly Deed[]
  readonly outcome: Outcome
}

/** The limits that a misbehaving server plays with. */
export const serverLimits = { firstTokenMs: 1_000, betweenChunksMs: 1_000, stepMs: 10_000, turnMs: 10_000_000 }

/** How the server answers, by chance; `words` makes the text of an answer. */
export function misbehaviour(random: () => number, words: (dice: Dice) => string, isNative: boolean): Misbehaviour {
  const dice = diceOf(random)
  if (dice.chance(0.3)) return faultAnswer(dice)
  if (dice.chance(0.01)) return endless(dice)
  const text = dice.chance(0.08) ? "" : words(dice)
  const calls = isNative && dice.chance(0.7) ? callsOf(dice) : []
  const events = [...spoken(dice, text), ...dice.shuffle(calls.map((call, index) => callDeltas(dice, call, index))).flat()]
  const stream = { ...inAppearance(calls.length > 1 ? interleaved(dice, events) : events, calls), text }
  return dice.pick<() => Misbehaviour>(
    () => complete(dice, stream),
    () => complete(dice, stream),
    () => complete(dice, stream),
    () => brokenOff(dice, stream, "cut"),
    () => brokenOff(dice, stream, "end"),
    () => stalled(dice, stream),
    () => unfinished(dice, stream),
  )()
}

interface Stream {
  readonly events: readonly StreamEvent[]
  readonly text: string
  readonly calls: readonly ToolCall[]
}

const finishWords: readonly (readonly [string, FinishReason])[] = [
  ["stop", "stop"],
  ["stop", "stop"],
  ["stop", "stop"],
  ["stop", "stop"],
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["tool_calls", "tool-calls"],
  ["insufficient_system_resource", "other"],
]

/** An answer that says why it stops, as oddly as servers do. */
function complete(dice: Dice, { events, text, calls }: Stream): Misbehaviour {
  const [word, reason] = dice.pick(...finishWords)
  const finish = chatChunk({}, { finish_reason: word })
  const repeats = dice.chance(0.2) ? [finish, chatChunk({}, { finish_reason: "stop" })] : []
  const { usage, report } = reportOf(dice)
  const tail: StreamEvent[] = [finish, ...repeats].map((data) => ({ data }))
  // Before the finish, with an earlier report that does not count, or last.
  if (report !== undefined && dice.chance(0.3)) tail.unshift({ data: report })
  else if (report !== undefined) {
    if (dice.chance(0.3)) tail.unshift({ data: { choices: [], usage: { prompt_tokens: 1 } } })
    tail.push({ data: report })
  }
  const outcome: Outcome = { type: "answer", text: text.toWellFormed(), reason, calls, ...(usage && { usage }) }
  // Something that can be heard after the finish, so that the cut or the stall is known to come later.
  const late: StreamEvent = { data: chatChunk({ reasoning: "." }), thought: "." }
  const all = [...events, ...tail]
  return dice.pick<() => Misbehaviour>(
    () => ({ name: "complete", deeds: [...writes(dice, all, { done: true }), { type: "end" }], outcome }),
    () => ({ name: "complete, without [DONE]", deeds: [...writes(dice, all), { type: "end" }], outcome }),
    () => ({ name: "complete, left open after [DONE]", deeds: writes(dice, all, { done: true }), outcome }),
    () => ({
      name: "cut after the finish",
      deeds: [...writes(dice, [...all, late]), heardAll([...all, late]), { type: "cut" }],
      outcome,
    }),
  )()
}

/** The body ends in the middle of an event: by a cut at any byte, or closed as if all were well. */
function brokenOff(dice: Dice, { events }: Stream, type: "cut" | "end"): Misbehaviour {
  const kept = events.slice(0, dice.below(events.length + 1))
  const broken = Buffer.from(`data: ${JSON.stringify(chatChunk({ content: 'an "escape" \ud83d早' }))}`)
  const from = type === "end" ? "data: {".length : 0
  const half = broken.subarray(0, from + dice.below(broken.length - from))
  const deeds: Deed[] = [...writes(dice, kept), { type: "write", bytes: half, packetBytes: dice.packetBytes() }]
  return {
    name: type === "cut" ? "cut in mid-message" : "closed in mid-event",
    deeds: [{ type: "head" }, ...deeds, ...(type === "cut" ? [heardAll(kept)] : []), { type }],
    outcome: { type: "fault", text: heardText(kept), isRetryable: true },
  }
}

/** Silence: before the first part, between two, or after the last one without an end. */
function stalled(dice: Dice, { events }: Stream): Misbehaviour {
  const kept = events.slice(0, dice.below(events.length + 1))
  const deeds: Deed[] = [...writes(dice, kept), heardAll(kept), { type: "pass", ms: 2_000 }]
  const head: readonly Deed[] = dice.chance(0.5) ? [{ type: "head" }] : []
  return { name: "stalled", deeds: [...head, ...deeds], outcome: { type: "stall", text: heardText(kept) } }
}

/** The stream just ends. */
function unfinished(dice: Dice, { events, text, calls }: Stream): Misbehaviour {
  return {
    name: events.length === 0 ? "empty stream" : "no finish",
    deeds: [...writes(dice, events, { done: dice.chance(0.5) }), { type: "end" }],
    outcome: { type: "answer", text: text.toWellFormed(), reason: "other", calls },
  }
}

/** Words come and come, each in time, until the step is over. */
function endless(dice: Dice): Misbehaviour {
  const intervalMs = 300 + dice.below(600)
  const count = Math.ceil(serverLimits.stepMs / intervalMs)
  const deeds = Array.from({ length: count }, (_, at): readonly Deed[] => [
    { type: "write", bytes: Buffer.from(eventStream([chatChunk({ content: "word " })], { done: false })), packetBytes: 1_000 },
    { type: "heard", characters: 5 * (at + 1) },
    { type: "pass", ms: intervalMs },
  ])
  return { name: "endless", deeds: deeds.flat(), outcome: { type: "stall", text: "word ".repeat(count) } }
}

function reportOf(dice: Dice): { readonly usage?: Usage; readonly report?: unknown } {
  if (dice.chance(0.4)) return {}
  const [inputTokens, outputTokens] = [dice.below(100), dice.below(100)]
  const report = { choices: dice.pick([], null), usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens } }
  return { usage: { inputTokens, outputTokens }, report }
}

/** The events as bytes, now and then with time passing after one that is heard. */
function writes(dice: Dice, events: readonly StreamEvent[], { done = false } = {}): Deed[] {
  const [eol, comment] = [dice.pick("\n", "\n", "\r\n"), dice.chance(0.2) ? ": keep-alive\n\n" : ""]
  const packetBytes = dice.packetBytes()
  const write = (text: string): Deed => ({ type: "write", bytes: Buffer.from(text.replaceAll("\n", eol)), packetBytes })
  const deeds: Deed[] = []
  let pending = comment
  for (const [at, event] of events.entries()) {
    pending += eventStream([event.data === null ? "null" : event.data], { done: false })
    const isHeard = heardText(events.slice(0, at + 1)).length > heardText(events.slice(0, at)).length
    if (!isHeard || !dice.chance(0.05)) continue
    deeds.push(write(pending), heardAll(events.slice(0, at + 1)), { type: "pass", ms: dice.below(900) })
    pending = ""
  }
  return [...deeds, write(pending + (done ? "data: [DONE]\n\n" : ""))]
}

function heardAll(events: readonly StreamEvent[]): Deed {
  const thoughts = events.map(({ thought = "" }) => thought).join("")
  return { type: "heard", characters: heardText(events).length + thoughts.length }
}
