import { messageOf } from "../../../core/errors.ts"
import { within } from "../../../core/timers.ts"
import type { Confirm, ConfirmRequest } from "../../../prompt/tools/tool.ts"
import { type TurnContext, warn } from "../turn-context.ts"

/**
 * Asks a person about a call. The turn's time limit pauses meanwhile. No answer within `limits.confirmMs` is reported, and so is a
 * question that fails; neither is consent.
 */
export async function askPerson(
  turn: TurnContext,
  confirm: Confirm,
  { signal, ...request }: ConfirmRequest & { readonly id: string; readonly signal: AbortSignal },
): Promise<"yes" | "no" | "unanswered"> {
  const { ports, profile } = turn.agent
  const { id, tool, summary } = request
  const { confirmMs } = profile.limits
  const resume = turn.deadline.pause()
  turn.emit({ type: "confirm-start", id, request })
  const asked = await within({ timeoutMs: confirmMs, signal, timers: ports.timers }, (askSignal) => confirm(request, askSignal))
  resume()
  const confirmed = asked.status === "done" && asked.value === true
  if (asked.status === "failed") warn(turn, "tool", `${tool} could not ask about "${summary}": ${messageOf(asked.error)}`)
  if (asked.status === "timeout") warn(turn, "tool", `${tool} asked about "${summary}" and got no answer within ${confirmMs} ms.`)
  turn.emit({ type: "confirm-end", id, request, confirmed })
  if (asked.status !== "done") return "unanswered"
  return confirmed ? "yes" : "no"
}
