import { cutText } from "../model/cut-text.ts"
import type { ModelRequest } from "../model/language-model.ts"
import type { ModelPart } from "../model/model-part.ts"

/** One piece of a scripted answer: text, any part, an error to throw, or silence until the request is aborted. */
export type ScriptedChunk = string | ModelPart | Error | { readonly stallUntilAborted: true }

/** An answer: a text, which is cut into small pieces, or chunks, which are yielded as they are. */
export type ScriptedAnswer = string | readonly ScriptedChunk[]

/** What one request gets: an answer, or a function of the request (and its index, from 0) that makes one. */
export type ScriptedStep = ScriptedAnswer | ((request: ModelRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>)

/** The chunks of an answer, ending in a finish where the script has none and does not break off. */
export function chunksOf(answer: ScriptedAnswer, chunkSize: number): readonly ScriptedChunk[] {
  const chunks = typeof answer === "string" ? cutText(answer, chunkSize) : answer
  return chunks.some(endsAnswer)
    ? chunks
    : [...chunks, { type: "finish", reason: chunks.some(isToolCall) ? "tool-calls" : "stop" }]
}

function endsAnswer(chunk: ScriptedChunk): boolean {
  return chunk instanceof Error || (typeof chunk === "object" && ("stallUntilAborted" in chunk || chunk.type === "finish"))
}

function isToolCall(chunk: ScriptedChunk): boolean {
  return typeof chunk === "object" && "type" in chunk && chunk.type === "tool-call"
}
