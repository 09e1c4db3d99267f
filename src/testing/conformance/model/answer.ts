import { PromptStrataError, type PromptStrataErrorOf } from "../../../core/errors.ts"
import type { FinishReason, ModelPart } from "../../../core/model/language-model.ts"
import { claim } from "../claims.ts"
import type { ProviderHappening, ProviderScript } from "./provider-scene.ts"

/** The outcome of one request. */
export interface Answer {
  readonly parts: readonly ModelPart[]
  /** The error that the request failed with, if it failed. */
  readonly error?: unknown
}

/** The provider sends a piece of text. */
export const text = (piece: string): ProviderHappening => ({ type: "text", text: piece })

/** The provider finishes. */
export const finish = (reason: FinishReason = "stop"): ProviderHappening => ({ type: "finish", reason })

/** A request that is answered with the text `fine`. */
export const fine: ProviderScript = [text("fine"), finish()]

/** Claims that an answer is that of {@link fine}. */
export function claimFine(answer: Answer): void {
  const said = textOf(wholeAnswer(answer))
  claim(said === "fine", 'the text "fine"', said)
}

/** Claims that the answer did not fail and ends in its only finish. Returns its parts. */
export function wholeAnswer({ parts, error }: Answer): readonly ModelPart[] {
  claim(error === undefined, "an answer without an error", error)
  const finishes = parts.filter((part) => part.type === "finish")
  claim(finishes.length === 1, "exactly one finish", parts)
  claim(parts.at(-1)?.type === "finish", "the finish as the last part", parts)
  return parts
}

/** Claims that the answer failed with code `model` and this `isRetryable` in its evidence. Returns the error. */
export function modelFailure({ parts, error }: Answer, isRetryable: boolean): PromptStrataErrorOf<"model"> {
  claim(PromptStrataError.isInstance(error), "a PromptStrataError", error ?? parts)
  claim(error.code === "model", "code `model`", error.code)
  claim(error.evidence.isRetryable === isRetryable, `evidence.isRetryable to be ${isRetryable}`, error.evidence)
  claim(!parts.some((part) => part.type === "finish"), "no finish in a failed answer", parts)
  return error
}

/** Claims that the request was aborted. */
export function abortedAnswer({ parts, error }: Answer): void {
  claim(PromptStrataError.isInstance(error) && error.code === "aborted", "an error with code `aborted`", error ?? parts)
  claim(!parts.some((part) => part.type === "finish"), "no finish in an aborted answer", parts)
}

/** All text of an answer, joined. */
export function textOf(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
}
