import type { Turn } from "../agent/turn.ts"
import type { Assembly } from "../core/span.ts"
import type { TurnEvent } from "../trace/turn-event.ts"
import type { TurnResult } from "../trace/turn-result.ts"

/** What can be shown beside the answer. */
export type Shown = "prompt" | "trace"

/** Shows turns as they happen. */
export interface TurnPrinter {
  /** Takes a turn's events in order. */
  event(event: TurnEvent): void
  /** Takes the request of the step that began last, before anything of its answer comes. */
  request(assembly: Assembly): void
}

/** Shows a turn to its end. */
export async function showTurn(turn: Turn, printer: TurnPrinter): Promise<TurnResult> {
  for await (const event of turn) printer.event(event)
  return turn.result
}

/**
 * Puts requests among the events: events are told a moment later than requests are made, so each request waits for the
 * first event after its `step-start`.
 */
export function createRequestQueue(show: (step: StepStart, assembly: Assembly) => void): {
  readonly request: (assembly: Assembly) => void
  readonly before: (event: TurnEvent) => void
} {
  const waiting: Assembly[] = []
  let step: StepStart | undefined
  return {
    request: (assembly) => waiting.push(assembly),
    before(event) {
      const assembly = step && waiting.shift()
      if (step && assembly) show(step, assembly)
      step = event.type === "step-start" ? event : undefined
      if (event.type === "turn-end") waiting.length = 0
    },
  }
}

type StepStart = Extract<TurnEvent, { type: "step-start" }>
