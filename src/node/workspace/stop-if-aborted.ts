import { PromptStrataError } from "../../core/errors.ts"

/** Throws `aborted` once the signal is. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  throw new PromptStrataError("aborted", "The work on the workspace was stopped; no file is half written.", {
    cause: signal.reason,
  })
}
