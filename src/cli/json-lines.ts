import type { TurnEvent } from "../trace/turn-event.ts"
import type { TurnResult } from "../trace/turn-result.ts"
import type { OutputStream } from "./io.ts"
import { jsonLine } from "./json-line.ts"
import { createRequestQueue, type Shown, type TurnPrinter } from "./turn-printer.ts"

/**
 * Shows turns to a program: each event as one line of JSON, as it happens. `turn-end` comes without the trace unless it is
 * asked for, and without the bytes of attachments, which have lines of their own; `--show prompt` adds a line `prompt` with the assembly of each request.
 */
export function createJsonPrinter(stdout: OutputStream, show: readonly Shown[]): TurnPrinter {
  const write = (data: unknown): void => {
    stdout.write(`${jsonLine(data)}\n`)
  }
  const requests = createRequestQueue(({ step, prompt }, assembly) => {
    if (show.includes("prompt")) write({ type: "prompt", step, prompt, assembly })
  })
  return {
    request: requests.request,
    event(event) {
      requests.before(event)
      write(eventJson(event, show.includes("trace")))
    },
  }
}

function eventJson(event: TurnEvent, withTrace: boolean): unknown {
  if (event.type === "child") return { ...event, event: eventJson(event.event, withTrace) }
  if (event.type !== "turn-end") return event
  return { ...event, result: resultJson(event.result, withTrace) }
}

/** Each attachment was a line of its own, with its bytes. */
function resultJson(result: TurnResult, withTrace: boolean): object {
  const { trace, ...told } = result
  const attachments = result.ok ? result.attachments?.map(({ base64: _, ...attachment }) => attachment) : undefined
  return { ...told, ...(attachments ? { attachments } : {}), ...(withTrace ? { trace } : {}) }
}
