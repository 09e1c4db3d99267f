import type { ToolCall } from "../../src/core/span.ts"
import { chatChunk } from "./chat-server.ts"
import type { Dice } from "./dice.ts"

/** One event of a stream; what it adds to what the model tells. */
export interface StreamEvent {
  readonly data: unknown
  readonly text?: string
  readonly thought?: string
}

/** Text in pieces of any size, half characters included, with thoughts before or between. */
export function spoken(dice: Dice, text: string): StreamEvent[] {
  const events: StreamEvent[] = []
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + 1 + dice.below(Math.max(2, text.length / 2)))
    events.push({ data: chatChunk({ content: piece }), text: piece })
    at += piece.length
  }
  if (dice.chance(0.4)) {
    const name = dice.pick("reasoning", "reasoning_content")
    events.unshift({ data: chatChunk({ role: "assistant", content: null, [name]: "想 hm" }), thought: "想 hm" })
  }
  if (dice.chance(0.2))
    events.splice(dice.below(events.length + 1), 0, { data: dice.pick(null, 42, { choices: null }, { choices: [] }) })
  return events
}

export function callsOf(dice: Dice): ToolCall[] {
  return Array.from({ length: 1 + dice.below(3) }, (_, at) => {
    const nonce = `${dice.below(1e9)}-${at} "早\\😀`
    return { id: `call_${dice.below(1e9)}_${at}`, name: "echo", args: JSON.stringify({ nonce }) }
  })
}

export function callDeltas(dice: Dice, { id, name, args }: ToolCall, index: number): StreamEvent[] {
  const deltas: StreamEvent[] = [{ data: toolChunk({ index, id, type: "function", function: { name, arguments: "" } }) }]
  for (let at = 0; at < args.length; ) {
    const piece = args.slice(at, at + 1 + dice.below(20))
    deltas.push({ data: toolChunk({ index, function: { arguments: piece } }) })
    at += piece.length
  }
  return deltas
}

function toolChunk(call: unknown): unknown {
  return chatChunk({ tool_calls: [call] })
}

/** The deltas of several calls in any order that keeps each call's own. */
export function interleaved(dice: Dice, events: readonly StreamEvent[]): readonly StreamEvent[] {
  const queues = new Map<unknown, StreamEvent[]>()
  for (const event of events) {
    const data = event.data as { choices?: { delta?: { tool_calls?: { index: number }[] } }[] } | null
    const key = data?.choices?.[0]?.delta?.tool_calls?.[0]?.index ?? "text"
    queues.set(key, [...(queues.get(key) ?? []), event])
  }
  const all: StreamEvent[] = []
  for (let left = [...queues.values()]; left.length > 0; left = left.filter((queue) => queue.length > 0)) {
    all.push(...(left[dice.below(left.length)] ?? []).splice(0, 1))
  }
  return all
}

/** The calls in the order in which their first deltas come. */
export function inAppearance(
  events: readonly StreamEvent[],
  calls: readonly ToolCall[],
): { readonly events: readonly StreamEvent[]; readonly calls: readonly ToolCall[] } {
  const opening = (call: ToolCall) => events.findIndex(({ data }) => JSON.stringify(data)?.includes(call.id))
  return { events, calls: [...calls].sort((a, b) => opening(a) - opening(b)) }
}

/** The text that a model has told by then: half a character at its end is held back. */
export function heardText(events: readonly StreamEvent[]): string {
  const text = events.map(({ text: piece = "" }) => piece).join("")
  return text.replace(/[\ud800-\udbff]$/, "").toWellFormed()
}
