import type { Turn } from "../../loop/agent/turn.ts"
import type { TurnEvent, TurnResult } from "../../trace/turn-event.ts"

/** Whoever sent a request, as the server's owner knows them. */
export interface Caller {
  /** The person whose memories the answer may use. */
  readonly user: string
  /** The name that prompts show. Default: the name of the profile's user. */
  readonly name?: string | undefined
  /**
   * The conversation that the request belongs to. It is kept by the agent, so only the last message of the request is read. Without it
   * the request's own messages are the whole conversation, and nothing is kept.
   */
  readonly conversation?: string | undefined
  /** True for a person who may answer approvals of others. */
  readonly operator?: boolean | undefined
}

/** The answer to a request: a turn, or the part of an ended one that clients see. */
export interface Answer extends AsyncIterable<TurnEvent> {
  readonly id: string
  readonly result: Promise<TurnResult>
}

/** A client that leaves ends a turn of which nothing is kept. A kept one goes on, so that its answer is there later. */
export function leaveOf(turn: Turn, { conversation }: Caller): () => void {
  return conversation === undefined ? () => turn.abort("The client left.") : () => undefined
}

const seen: readonly TurnEvent["type"][] = [
  ...(["turn-start", "thinking-delta", "emotion", "bubble", "attachment", "tool-start", "tool-end"] as const),
]

/** The events that clients see, without the trace, which holds every request. */
export async function seenEvents(turn: AsyncIterable<TurnEvent>): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = []
  for await (const event of turn) {
    const last = events.at(-1)
    if (event.type === "text-delta") {
      if (last?.type === "text-delta") events[events.length - 1] = { ...last, delta: last.delta + event.delta }
      else events.push(event)
    } else if (seen.includes(event.type)) events.push(event)
    else if (event.type === "turn-end") {
      const trace = { ...event.result.trace, steps: [], runs: [], prestart: [], records: [], children: [] }
      events.push({ type: "turn-end", result: { ...event.result, trace } })
    }
  }
  return events
}

/** An answer that tells these events, the last of which is `turn-end`. */
export function answerOf(id: string, events: readonly TurnEvent[]): Answer {
  const { result } = events.at(-1) as TurnEvent & { readonly type: "turn-end" }
  return {
    id,
    result: Promise.resolve(result),
    [Symbol.asyncIterator]: async function* () {
      yield* events
    },
  }
}
