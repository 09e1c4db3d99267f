import { messageOf } from "../core/errors.ts"
import type { Confirm } from "../tools/tool.ts"
import type { TurnRun } from "./turn-run.ts"
import { within } from "./within.ts"

/**
 * The turn's way to ask whoever decides; absent where nobody can be asked. The turn's time stands still meanwhile. No
 * answer within `limits.confirmMs` and an asking that fails count as a refusal and are reported.
 */
export function confirmation(run: TurnRun): Confirm | undefined {
  const { confirm, limits, ports } = run.setup
  if (!confirm) return undefined
  return async (request, signal) => {
    const resume = run.pause()
    run.emit({ type: "confirm-start", request })
    const asked = await within({ timeoutMs: limits.confirmMs, signal, timers: ports.timers }, (askSignal) =>
      confirm(request, askSignal),
    )
    resume()
    const confirmed = asked.status === "done" && asked.value === true
    if (asked.status === "failed")
      run.warn("tool", `${request.tool} could not ask about "${request.summary}": ${messageOf(asked.error)}`)
    if (asked.status === "timeout")
      run.warn("tool", `${request.tool} asked about "${request.summary}" and got no answer within ${limits.confirmMs} ms.`)
    run.emit({ type: "confirm-end", request, confirmed })
    return confirmed
  }
}
