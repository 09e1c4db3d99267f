import { PromptStrataError } from "../core/errors.ts"
import type { TurnResult } from "../trace/turn-event.ts"

/** Exit codes of the program. The help lists them. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const

/** The exit code for a turn. Only Ctrl-C aborts one here. */
export function exitCodeOf(result: TurnResult): number {
  if (result.ok) return exitCodes.ok
  return result.error.code === "aborted" ? exitCodes.interrupted : exitCodes.failed
}

/** The exit code for an error outside a turn. */
export function exitCodeOfError(thrown: unknown): number {
  return PromptStrataError.isInstance(thrown) && thrown.code === "usage" ? exitCodes.usage : exitCodes.failed
}
