import { PromptStrataError } from "../../core/errors.ts"
import type { ModelPart } from "../../model/model-part.ts"
import type { Answer } from "./answer.ts"

/** Throws code `test` unless it holds; `expected` completes "expected …". */
export function claim(holds: boolean, expected: string, found: unknown): asserts holds {
  if (holds) return
  throw new PromptStrataError("test", `expected ${expected}; found ${shown(found)}.`, {
    evidence: { expected },
    ...(found instanceof Error && { cause: found }),
  })
}

/** The answer's parts, where it did not fail. */
export function wholeAnswer({ parts, error }: Answer): readonly ModelPart[] {
  claim(error === undefined, "an answer without an error", error)
  const finishes = parts.filter((part) => part.type === "finish")
  claim(finishes.length === 1, "exactly one finish", parts)
  claim(parts.at(-1)?.type === "finish", "the finish as the last part", parts)
  return parts
}

/** The error of a provider that failed: code `model`, with evidence that says whether trying again can help. */
export function modelFailure({ parts, error }: Answer, isRetryable: boolean): PromptStrataError {
  claim(PromptStrataError.isInstance(error), "a PromptStrataError", error ?? parts)
  claim(error.code === "model", "code `model`", error.code)
  claim(error.evidence.isRetryable === isRetryable, `evidence.isRetryable to be ${isRetryable}`, error.evidence)
  claim(!parts.some((part) => part.type === "finish"), "no finish in a failed answer", parts)
  return error
}

/** Claims that the request was ended by its signal. */
export function abortedAnswer({ parts, error }: Answer): void {
  claim(PromptStrataError.isInstance(error) && error.code === "aborted", "an error with code `aborted`", error ?? parts)
  claim(!parts.some((part) => part.type === "finish"), "no finish in an aborted answer", parts)
}

/** All text of an answer, joined. */
export function textOf(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
}

function shown(found: unknown): string {
  if (found instanceof Error) return `${found.name}: ${found.message}`
  return JSON.stringify(found) ?? String(found)
}
