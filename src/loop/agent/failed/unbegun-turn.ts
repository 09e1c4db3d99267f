import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { defined } from "../../../core/json-access.ts"
import { mainProcess } from "../../../trace/trace.ts"
import type { TurnEvent, TurnResult } from "../../../trace/turn-event.ts"
import type { AgentContext, TurnInput } from "../../turn/turn-context.ts"

/** Makes the result of a turn that failed outside its loop. With `emit`, it tells of the beginning that the loop would have told. */
export function unbegunTurn(
  { ports }: Pick<AgentContext, "ports">,
  { key, turnId, wake }: TurnInput,
  { thrown, emit }: { readonly thrown: unknown; readonly emit: ((event: TurnEvent) => void) | undefined },
): TurnResult & { readonly ok: false } {
  const error = asSessionError(thrown)
  const atMs = ports.clock.nowMs()
  emit?.({ type: "turn-start", turnId, atMs })
  const { agent, conversation, audience } = key
  const trace = defined({
    ...{ turnId, process: mainProcess, wake, key: { agent, conversation, audience }, startedMs: atMs, durationMs: 0 },
    ...{ prestart: [], steps: [], runs: [], warnings: [], records: [], children: [], usage: {}, error },
  })
  return { ok: false, error, gathered: { runs: [], text: "" }, trace }
}

function asSessionError(error: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(error)) return error
  return new PromptStrataError("session-store", `The session could not be loaded: ${messageOf(error)}`, { cause: error })
}
