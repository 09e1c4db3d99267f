import type { TurnEvent, TurnResult } from "../trace/turn-event.ts"

/**
 * A turn. It runs whether or not anyone iterates it. Iterating yields every event from the first, also if it begins late or is done
 * more than once. The last event is always `turn-end`. Neither iterating nor `result` throws for a failed turn.
 */
export interface Turn extends AsyncIterable<TurnEvent> {
  readonly id: string
  /** The answer's characters as they come, and nothing else. */
  readonly textStream: AsyncIterable<string>
  /** The answer's bubbles, each as a whole once it has ended (R9). A bot sends these. */
  readonly bubbles: AsyncIterable<string>
  readonly result: Promise<TurnResult>
  /** The answer with thinking in front of it as `<think>…</think>`, for callers that want one stream (T24). */
  textStreamWithThinking(): AsyncIterable<string>
  /** Stops the turn. It ends with the error `aborted` and commits nothing. */
  abort(reason?: unknown): void
}

/** Runs a turn and resolves with its result. It passes every event but `turn-end` to `emit`. It must not reject. */
type TurnRunner = (emit: (event: TurnEvent) => void, signal: AbortSignal) => Promise<TurnResult>

interface StartOptions {
  readonly signal?: AbortSignal | undefined
  /** Gets every event, `turn-end` included, once it is in the turn's log. It must neither throw nor take long. */
  readonly onEvent?: ((event: TurnEvent) => void) | undefined
}

/** Starts a turn. */
export function startTurn(id: string, run: TurnRunner, { signal, onEvent }: StartOptions = {}): Turn {
  const log = new EventLog<TurnEvent>()
  const tell = (event: TurnEvent): void => {
    log.append(event)
    onEvent?.(event)
  }
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted === true) onAbort()
  signal?.addEventListener("abort", onAbort)
  const result = run(tell, controller.signal).then((outcome) => {
    signal?.removeEventListener("abort", onAbort)
    tell({ type: "turn-end", result: outcome })
    log.close()
    return outcome
  })
  return {
    id,
    result,
    abort: (reason) => controller.abort(reason),
    [Symbol.asyncIterator]: () => log.read(),
    get textStream() {
      return textOf(log)
    },
    get bubbles() {
      return bubblesOf(log)
    },
    textStreamWithThinking: () => textWithThinking(log),
  }
}

async function* textOf(log: EventLog<TurnEvent>): AsyncGenerator<string> {
  for await (const event of log.read()) if (event.type === "text-delta") yield event.delta
}

async function* bubblesOf(log: EventLog<TurnEvent>): AsyncGenerator<string> {
  for await (const event of log.read()) if (event.type === "bubble") yield event.text
}

async function* textWithThinking(log: EventLog<TurnEvent>): AsyncGenerator<string> {
  let thinking = false
  for await (const event of log.read()) {
    if (event.type === "thinking-delta") {
      yield thinking ? event.delta : `<think>${event.delta}`
      thinking = true
    } else if (thinking && (event.type === "text-delta" || event.type === "step-end" || event.type === "turn-end")) {
      yield "</think>"
      thinking = false
    }
    if (event.type === "text-delta") yield event.delta
  }
}

/** An append-only list. Any number of readers follow it, each from its beginning. */
class EventLog<Event> {
  readonly #events: Event[] = []
  #closed = false
  #waiting: (() => void)[] = []

  append(event: Event): void {
    this.#events.push(event)
    this.#wake()
  }

  /** Ends the list. Readers end after its last event. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  async *read(): AsyncGenerator<Event, void, undefined> {
    for (let at = 0; ; at++) {
      while (at >= this.#events.length) {
        if (this.#closed) return
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
      yield this.#events[at] as Event
    }
  }

  #wake(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    for (const resume of waiting) resume()
  }
}
