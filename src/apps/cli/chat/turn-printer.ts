import type { Assembly } from "../../../core/span.ts"
import type { Turn } from "../../../loop/agent/turn.ts"
import type { TurnEvent, TurnResult } from "../../../trace/turn-event.ts"
import { jsonLine, type OutputStream } from "../io.ts"

/** Additional output beside the answer. */
export type ExtraOutput = "prompt" | "trace"

/** Shows turns as they happen. */
export interface TurnPrinter {
  /** Takes a turn's events in order. */
  event(event: TurnEvent): void
  /** Takes the request of the last begun step, before any event of its answer. */
  request(assembly: Assembly): void
}

/** Shows a turn until it ends. */
export async function showTurn(turn: Turn, printer: TurnPrinter): Promise<TurnResult> {
  for await (const event of turn) printer.event(event)
  return turn.result
}

/**
 * Puts requests in order with the events. A request is made before its `step-start` is read, so each request waits for the
 * first event after its `step-start`.
 */
export function createRequestQueue(show: (step: StepStart, assembly: Assembly) => void) {
  const waiting: Assembly[] = []
  let step: StepStart | undefined
  return {
    request: (assembly: Assembly) => void waiting.push(assembly),
    before(event: TurnEvent): void {
      const assembly = step && waiting.shift()
      if (step && assembly) show(step, assembly)
      step = event.type === "step-start" ? event : undefined
      if (event.type === "turn-end") waiting.length = 0
    },
  }
}

type StepStart = Extract<TurnEvent, { type: "step-start" }>

/**
 * Shows turns to a program: each event as one line of JSON. `turn-end` has the trace only with `--show trace`, and not the bytes
 * of attachments, which have lines of their own. `--show prompt` adds a line `prompt` with the assembly of each request.
 */
export function createJsonPrinter(stdout: OutputStream, show: readonly ExtraOutput[]): TurnPrinter {
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

/** Leaves out the bytes of attachments: the line of each attachment has them. */
function resultJson(result: TurnResult, withTrace: boolean): object {
  const { trace, ...told } = result
  const attachments = result.ok ? result.attachments?.map(({ base64: _, ...attachment }) => attachment) : undefined
  return { ...told, attachments, trace: withTrace ? trace : undefined }
}
