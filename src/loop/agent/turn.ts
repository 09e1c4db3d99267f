import type { StandardSchemaV1 } from "@standard-schema/spec"
import { checkOptions } from "../../core/check-options.ts"
import { asOurError, messageOf, PromptStrataError } from "../../core/errors.ts"
import { startPausableTimer } from "../../core/timers.ts"
import { defined } from "../../core/value.ts"
import { sessionOf } from "../../memory/services/store/rows/row-tables.ts"
import type { TurnSegment } from "../../trace/segments.ts"
import { emptyTrace } from "../../trace/trace.ts"
import type { TurnAnswer, TurnEvent, TurnFailure, TurnResult } from "../../trace/turn-event.ts"
import type { AgentContext, Deadline, TurnInput } from "../turn/turn-context.ts"

/**
 * A turn. It runs whether or not anyone iterates it. Iterating yields every event from the first, also if it begins late or is done
 * more than once. The last event is always `turn-end`. Neither iterating nor `result` throws for a failed turn.
 */
export interface Turn<Result extends TurnResult = TurnResult> extends AsyncIterable<TurnEvent> {
  readonly id: string
  /** The answer's characters as they come, and nothing else. */
  readonly textStream: AsyncIterable<string>
  /** The answer's bubbles, each as a whole once it has ended (R9). A bot sends these. */
  readonly bubbles: AsyncIterable<string>
  /** The answer sentence by sentence as it streams, each with its emotion, its bubble and its files (H11): for a voice, a moving figure or subtitles. */
  readonly segments: AsyncIterable<TurnSegment>
  /** The value of a structured answer as it grows, not yet checked. After an answer that did not fit it begins anew. Empty in other turns. */
  readonly partials: AsyncIterable<unknown>
  readonly result: Promise<Result>
  /**
   * The answer with thinking in front of it as `<think>…</think>`, for callers that want one stream (T24). With `toolCalls`, the turn's
   * calls stand in there too, each as a line `name({"arg":1})` in which `<` is written as JSON's `\u003c`.
   */
  textStreamWithThinking(options?: ThinkingOptions): AsyncIterable<string>
  /**
   * Stops the turn. It ends with the error `aborted` and commits nothing; its words are kept (T20). If the answer is being stored already, the error's evidence
   * says that the outcome is unknown.
   */
  abort(reason?: unknown): void
}

interface ThinkingOptions {
  readonly toolCalls?: boolean | undefined
}

/** A turn that asked for a value of the schema `S`: an answer of it has `output`. */
export type StructuredTurn<S extends StandardSchemaV1> = Turn<
  (TurnAnswer & { readonly output: StandardSchemaV1.InferOutput<S> }) | TurnFailure
>

/** Runs a turn and resolves with its result. It passes every event but `turn-end` to `emit`. It must not reject. */
type TurnRunner = (emit: (event: TurnEvent) => void, signal: AbortSignal) => Promise<TurnResult>

interface StartOptions {
  readonly signal?: AbortSignal | undefined
  /** Gets every event, `turn-end` included, once it is in the turn's log. It must neither throw nor take long. */
  readonly onEvent?: ((event: TurnEvent) => void) | undefined
}

/** A turn that its constructor starts. A class, because a getter in an object literal is kept, with the whole turn that it closes over, until the next full collection. */
export class StartedTurn implements Turn {
  readonly id: string
  readonly result: Promise<TurnResult>
  readonly #log: EventLog = { events: [], readers: new Set() }
  readonly #controller = new AbortController()

  constructor(id: string, run: TurnRunner, { signal, onEvent }: StartOptions = {}) {
    const log = this.#log
    const controller = this.#controller
    const tell = (event: TurnEvent): void => {
      log.events.push(event.type === "text-delta" ? event.delta : event)
      for (const answer of log.readers) answer()
      onEvent?.(event)
    }
    const onAbort = (): void => controller.abort(signal?.reason)
    if (signal?.aborted === true) onAbort()
    signal?.addEventListener("abort", onAbort)
    this.id = id
    this.result = run(tell, controller.signal).then((outcome) => {
      signal?.removeEventListener("abort", onAbort)
      tell({ type: "turn-end", result: outcome })
      return outcome
    })
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason)
  }

  get textStream(): AsyncIterable<string> {
    return readLog<string>(this.#log, "text-delta", "delta")
  }

  get bubbles(): AsyncIterable<string> {
    return readLog<string>(this.#log, "bubble", "text")
  }

  get segments(): AsyncIterable<TurnSegment> {
    const events = readLog<TurnEvent>(this.#log)
    return lateReader(({ segmentsOf }) => segmentsOf(events))
  }

  get partials(): AsyncIterable<unknown> {
    return readLog<unknown>(this.#log, "partial-output", "value")
  }

  textStreamWithThinking(options: ThinkingOptions = {}): AsyncIterable<string> {
    checkOptions<ThinkingOptions>("textStreamWithThinking", options, { toolCalls: true })
    const events = readLog<TurnEvent>(this.#log)
    return lateReader(({ textWithThinking }) => textWithThinking(events, options.toolCalls === true))
  }

  [Symbol.asyncIterator](): AsyncIterator<TurnEvent> {
    return readLog<TurnEvent>(this.#log)
  }
}

/** Loads the readers of segments and of thinking, of which most programs ask for none. */
async function* lateReader<Value>(read: (readers: typeof import("../../trace/segments.ts")) => AsyncIterable<Value>) {
  yield* read(await import("../../trace/segments.ts"))
}

/** The events of a turn so far, a `text-delta` as its characters alone, and its readers that have not come to the end. */
interface EventLog {
  readonly events: (TurnEvent | string)[]
  readonly readers: Set<() => void>
}

type Answer<Value> = (result: IteratorResult<Value, undefined>) => void

/**
 * Follows a log from its first event to its last, `turn-end`, or with a type and a field, that field of the events of that type. Any
 * number of readers may follow one log, each at its own pace. A value costs one promise: the one that its reader awaits.
 */
function readLog<Value>(log: EventLog, type?: TurnEvent["type"], field?: string): AsyncIterableIterator<Value, undefined> {
  let waiting: Answer<Value> | undefined
  const behind: Answer<Value>[] = []
  let at = 0
  let isOver = false
  /** Answers the calls that wait, as far as there are events. */
  const answer = (): void => {
    for (; waiting && !isOver && at < log.events.length; at++) {
      const said = log.events[at] as TurnEvent | string
      const event: TurnEvent = typeof said === "string" ? { type: "text-delta", delta: said } : said
      isOver = event.type === "turn-end"
      if (type !== undefined && event.type !== type) continue
      const value = (field === undefined ? event : (event as Readonly<Record<string, unknown>>)[field]) as Value
      const resolve = waiting
      waiting = behind.shift()
      resolve({ done: false, value })
    }
    if (!isOver) return
    for (; waiting; waiting = behind.shift()) waiting({ done: true, value: undefined })
    log.readers.delete(answer)
  }
  log.readers.add(answer)
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next() {
      const { promise, resolve } = Promise.withResolvers<IteratorResult<Value, undefined>>()
      if (waiting) behind.push(resolve)
      else waiting = resolve
      answer()
      return promise
    },
    return() {
      isOver = true
      answer()
      return Promise.resolve({ done: true, value: undefined })
    },
  }
}

/** Starts the time limit of a turn. Time in which it is paused does not count. Whoever starts it closes it. */
export function startDeadline({ profile, ports }: Pick<AgentContext, "profile" | "ports">, signal: AbortSignal): Deadline {
  const { turnMs } = profile.limits
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(abortError(signal.reason))
  if (signal.aborted) onAbort()
  signal.addEventListener("abort", onAbort)
  const timer = startPausableTimer(ports, turnMs, () => controller.abort(timeoutError(turnMs)))
  return {
    signal: controller.signal,
    pause: timer.pause,
    close() {
      timer.clear()
      signal.removeEventListener("abort", onAbort)
    },
  }
}

/** The error of a turn that its caller aborted. A reason that is an error of this library stays as it is. */
export function abortError(reason: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(reason)) return reason
  const why = reason === undefined || (reason instanceof Error && reason.name === "AbortError") ? "" : `: ${messageOf(reason)}`
  return new PromptStrataError("aborted", `The turn was aborted${why}.`, { cause: reason })
}

function timeoutError(turnMs: number): PromptStrataError {
  return new PromptStrataError("turn-timeout", `expected the turn to end within ${turnMs} ms; it did not.`, {
    hint: "Raise turn_ms of [limits], or look at the trace for what took so long.",
    evidence: { limit: "turnMs", limitMs: turnMs },
  })
}

/** Makes the result of a turn that failed outside its loop. With `emit`, it tells of the beginning that the loop would have told. */
export function unbegunTurn(
  { ports }: Pick<AgentContext, "ports">,
  { key, turnId, wake }: TurnInput,
  { thrown, emit }: { readonly thrown: unknown; readonly emit: ((event: TurnEvent) => void) | undefined },
): TurnFailure {
  const error = asOurError(thrown, "session-store", "The session could not be loaded")
  const atMs = ports.clock.nowMs()
  emit?.({ type: "turn-start", turnId, atMs })
  const trace = emptyTrace({ turnId, key: sessionOf(key), startedMs: atMs })
  return { ok: false, error, gathered: { runs: [], text: "" }, trace: defined({ ...trace, wake, error }) }
}

/** The warning of a turn whose words are not kept, because the code that keeps them cannot be loaded. */
export function notKept({ key, turnId }: TurnInput, thrown: unknown) {
  return { key, turnId, message: `The words of an unanswered turn are not kept: ${messageOf(thrown)}` }
}
