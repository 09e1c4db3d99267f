import type { Reader } from "../../src/core/reader.ts"
import type { Decision, DecisionEvent } from "../../src/reply/decision.ts"
import { createDecisionReader } from "../../src/reply/decision-reader.ts"

export type MakeReader = () => Reader<string, DecisionEvent>

/** Everything a reader yields for an output in pieces. */
export interface Reading {
  readonly message: string
  readonly thinking: string
  readonly deltas: readonly string[]
  readonly events: readonly DecisionEvent[]
  readonly decision: Decision | undefined
}

/** Reads an output that comes in pieces. */
export function readPieces(pieces: readonly string[], make: MakeReader = createDecisionReader): Reading {
  const reader = make()
  const events = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
  const last = events.at(-1)
  const deltas = events.flatMap((event) => (event.type === "message-delta" ? [event.delta] : []))
  return {
    message: deltas.join(""),
    thinking: events.map((event) => (event.type === "thinking-delta" ? event.delta : "")).join(""),
    deltas,
    events,
    decision: last?.type === "decision" ? last.decision : undefined,
  }
}

/** What is wrong with a reading whatever the output was: an empty list for a sound one. */
export function faultsOf({ events, deltas, message, decision }: Reading): string[] {
  const faults: string[] = []
  if (decision === undefined) faults.push("no decision at the end")
  if (events.filter((event) => event.type === "decision").length !== 1) faults.push("not exactly one decision")
  for (const delta of deltas) {
    if (delta === "") faults.push("an empty delta")
    if (!delta.isWellFormed()) faults.push(`half a surrogate pair in ${JSON.stringify(delta)}`)
  }
  const final = decision?.action === "finish" ? (decision.message ?? "") : ""
  if (message !== final) faults.push(`shown ${JSON.stringify(message)}, decided ${JSON.stringify(final)}`)
  return faults
}

/** What differs between two readings of one output. */
export function differences(a: Reading, b: Reading): string[] {
  const seen = ({ message, thinking, events }: Reading) => ({ message, thinking, "decision event": events.at(-1) })
  const [one, other] = [seen(a), seen(b)]
  const differs = (name: keyof typeof one) => JSON.stringify(one[name]) !== JSON.stringify(other[name])
  return (["message", "thinking", "decision event"] as const).filter(differs).map((name) => `${name} differs`)
}

/** `text` cut before every offset of `cuts`, which ascend. */
export function cutAt(text: string, cuts: readonly number[]): string[] {
  return [...cuts, text.length].map((end, index) => text.slice(index === 0 ? 0 : cuts[index - 1], end))
}

/** Every way to cut `text` in exactly `count` places. */
export function* everyCutting(text: string, count: number, from = 1): Generator<number[]> {
  if (count === 0) {
    yield []
    return
  }
  for (let cut = from; cut < text.length; cut++) {
    for (const rest of everyCutting(text, count - 1, cut + 1)) yield [cut, ...rest]
  }
}

/** `text` cut at random: short pieces, long ones, and empty ones. */
export function cutRandomly(text: string, random: () => number): string[] {
  const longest = 1 + Math.floor(random() * 24)
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const length = Math.floor(random() * (longest + 1))
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}
