import { messageOf, PromptStrataError } from "../core/errors.ts"
import { mainProcess } from "../trace/trace.ts"
import type { TurnResult } from "../trace/turn-event.ts"
import type { TurnInput } from "../turn/turn-context.ts"

/** Makes the result of a turn that failed at `atMs`, before its loop began. */
export function unbegunTurn({ key, turnId, wake }: TurnInput, atMs: number, thrown: unknown): TurnResult {
  const error = asSessionError(thrown)
  const { agent, conversation, audience } = key
  const trace = {
    turnId,
    process: mainProcess,
    ...(wake === undefined ? {} : { wake }),
    key: { agent, conversation, audience },
    startedMs: atMs,
    durationMs: 0,
    prestart: [],
    steps: [],
    runs: [],
    warnings: [],
    records: [],
    children: [],
    usage: {},
    error,
  }
  return { ok: false, error, gathered: { runs: [], text: "" }, trace }
}

function asSessionError(error: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(error)) return error
  return new PromptStrataError("session-store", `The session could not be loaded: ${messageOf(error)}`, { cause: error })
}
