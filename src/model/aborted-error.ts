import { messageOf, PromptStrataError, type PromptStrataErrorOf } from "../core/errors.ts"

/** The error that a model throws when its signal aborts: code `aborted`, with the signal's reason as `cause`. */
export function abortedError(signal: AbortSignal): PromptStrataErrorOf<"aborted"> {
  const reason: unknown = signal.reason
  const why = reason === undefined ? "" : `: ${messageOf(reason)}`
  return new PromptStrataError("aborted", `The model's request was aborted${why}.`, { cause: reason })
}
