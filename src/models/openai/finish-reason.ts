import type { FinishReason } from "../../model/model-part.ts"

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["eos", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["content_filter", "content-filter"],
])

/** A server's word for why it stopped; a word of its own making is `other`. */
export function readFinishReason(wire: string): FinishReason {
  return reasons.get(wire.toLowerCase()) ?? "other"
}
