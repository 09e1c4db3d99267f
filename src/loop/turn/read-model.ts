import { asOurError, PromptStrataError } from "../../core/errors.ts"
import { recordOf } from "../../core/json-access.ts"
import type { LanguageModel, ModelPart, ModelRequest } from "../../core/model/language-model.ts"
import type { Clock, Timers } from "../../core/ports.ts"
import { orAborted } from "../../core/timers.ts"
import { inSnakeCase } from "../../profile/key.ts"
import type { TimeLimits } from "../../profile/profile.ts"

export interface ReadModelOptions {
  readonly signal: AbortSignal
  readonly limits: Pick<TimeLimits, "firstTokenMs" | "betweenChunksMs" | "stepMs" | "answerCharacters">
  readonly clock: Clock
  readonly timers: Timers
  /** Gets each part, and the time at which it came. The next one waits for a promise. */
  readonly onPart: (part: ModelPart, atMs: number) => void | Promise<void>
  /** True once the rest of the stream is not wanted; asked after each part. */
  readonly isOver?: (() => boolean) | undefined
}

/** The reason of every signal whose read is over. One of its own with its stack would cost a plain turn 3 % of its CPU. */
const over = new DOMException("The model's answer is not read any more.", "AbortError")

/**
 * Reads a model's stream to its end, one asynchronous step for each part. It always settles: a stall past a limit throws
 * `model-stall`, an abort throws the signal's reason, a provider that fails throws `model`. A model that ignores its signal is
 * abandoned. An answer that grows too long ends with a warning and the finish `length`, as if the provider had cut it.
 */
export async function readModel(model: LanguageModel, request: ModelRequest, options: ReadModelOptions): Promise<void> {
  const watch = new Watch(model.id, options)
  const { signal } = watch.controller
  let iterator: AsyncIterator<ModelPart> | undefined
  let finished = false
  try {
    signal.throwIfAborted()
    const stream = model.stream(request, { signal })
    if (typeof stream?.[Symbol.asyncIterator] !== "function")
      throw new PromptStrataError(
        "usage",
        `expected an async iterable of parts from stream of model ${JSON.stringify(model.id)}.`,
      )
    iterator = stream[Symbol.asyncIterator]()
    await orAborted(watch.read(iterator), signal)
    finished = !watch.isCut
  } catch (thrown) {
    throw signal.aborted ? signal.reason : asModelError(thrown, model.id)
  } finally {
    options.timers.clear(watch.timer)
    options.signal.removeEventListener("abort", watch.onAbort)
    watch.controller.abort(over)
    if (!finished) abandon(iterator)
  }
}

/** Ends a stream that is not read any more. Errors of its ending are ignored. */
function abandon(iterator: AsyncIterator<ModelPart> | undefined): void {
  try {
    iterator?.return?.().then(undefined, () => undefined)
  } catch {
    // The stream is abandoned either way.
  }
}

/**
 * Stops a read when a limit passes or the signal aborts. One timer serves all parts but the first: when it rings, it looks how long
 * ago the last part came.
 */
class Watch {
  readonly #modelId: string
  readonly #options: ReadModelOptions
  /** Aborted when the read is stopped from outside, for its reason, or over. */
  readonly controller = new AbortController()
  readonly #startedMs: number
  /** Set here: V8 keeps a function that is assigned to a member, with all that it closes over, until the next full collection. */
  readonly onAbort = (): void => this.#stop(this.#options.signal.reason)
  /** The time at which the last part came; before the first one, the beginning. */
  #cameMs: number
  #isFirst = true
  /** The characters that came so far. */
  #characters = 0
  /** True once more characters came than an answer may have, or no more are wanted. */
  isCut = false
  timer: unknown

  constructor(modelId: string, options: ReadModelOptions) {
    const { signal, limits, clock, timers } = options
    this.#modelId = modelId
    this.#options = options
    this.#startedMs = clock.nowMs()
    this.#cameMs = this.#startedMs
    signal.addEventListener("abort", this.onAbort)
    // The limit between parts may be over before that of the first part.
    const firstMs = Math.min(limits.firstTokenMs, limits.betweenChunksMs, limits.stepMs)
    this.timer = timers.set(() => this.#ring(), Math.max(1, firstMs))
    if (signal.aborted) this.onAbort()
  }

  /** Takes the parts until the last one. A part costs the promise that its stream makes, and nothing long-lived. After a stop nothing is taken. */
  async read(iterator: AsyncIterator<ModelPart>): Promise<void> {
    const { clock, limits, onPart, isOver } = this.#options
    const { signal } = this.controller
    while (!signal.aborted) {
      const part = await iterator.next()
      if (part.done === true || signal.aborted) return
      this.#isFirst = false
      this.#cameMs = clock.nowMs()
      this.#characters += charactersOf(part.value)
      this.isCut = this.#characters > limits.answerCharacters
      if (this.isCut) return this.#cut()
      const taken = onPart(part.value, this.#cameMs)
      if (taken) await taken
      this.isCut = isOver?.() === true
      if (this.isCut) return
    }
  }

  /** Ends an answer that is too long, as a provider does at its own limit. */
  #cut(): void {
    const { limits, onPart } = this.#options
    const message = `${this.#modelId} wrote more than ${limits.answerCharacters} characters (\`limits.answerCharacters\`), so its answer ends there.`
    onPart({ type: "warning", message }, this.#cameMs)
    onPart({ type: "finish", reason: "length" }, this.#cameMs)
  }

  /** Stops the read if a limit is over, else sets the timer for the next one. */
  #ring(): void {
    const { limits, clock, timers } = this.#options
    const nowMs = clock.nowMs()
    const isFirst = this.#isFirst
    const quietLimitMs = isFirst ? limits.firstTokenMs : limits.betweenChunksMs
    const stepLeftMs = limits.stepMs - (nowMs - this.#startedMs)
    const quietLeftMs = quietLimitMs - (nowMs - this.#cameMs)
    if (stepLeftMs <= 0) this.#stop(this.#stall("a step", limits.stepMs, "stepMs"))
    else if (quietLeftMs > 0) this.timer = timers.set(() => this.#ring(), Math.max(1, Math.min(stepLeftMs, quietLeftMs)))
    else if (isFirst) this.#stop(this.#stall("the first part", quietLimitMs, "firstTokenMs"))
    else this.#stop(this.#stall("the next part", quietLimitMs, "betweenChunksMs"))
  }

  #stall(what: string, limitMs: number, limit: "firstTokenMs" | "betweenChunksMs" | "stepMs"): PromptStrataError {
    return new PromptStrataError("model-stall", `expected ${what} from ${this.#modelId} within ${limitMs} ms; it did not come.`, {
      hint: `Is the model overloaded or far away? The limit is ${inSnakeCase(limit)} of [limits].`,
      evidence: { limit, limitMs, model: this.#modelId },
    })
  }

  #stop(reason: unknown): void {
    this.controller.abort(reason ?? new PromptStrataError("aborted", "The turn was aborted."))
  }
}

/** The characters of a part. An adapter without types may hand over anything. */
function charactersOf(part: ModelPart | null | undefined): number {
  const isDelta = part?.type === "text-delta" || part?.type === "thinking-delta"
  const text: unknown = isDelta ? part.delta : part?.type === "tool-call" ? part.call?.args : undefined
  return typeof text === "string" ? text.length : 0
}

function asModelError(thrown: unknown, modelId: string): unknown {
  const evidence = { model: modelId, isRetryable: mayPass(thrown), status: statusOf(thrown) }
  return asOurError(thrown, "model", `${modelId} failed`, { evidence })
}

const passingStatus = new Set([408, 409, 429])

/**
 * True if the same request may succeed later, as far as an error of an adapter that says no more can tell. It may say more, with
 * `isRetryable` or the server's `status`. A mistake in the adapter's code fails again; `fetch` throws a TypeError, too.
 */
function mayPass(thrown: unknown): boolean {
  const { isRetryable } = recordOf(thrown)
  if (typeof isRetryable === "boolean") return isRetryable
  const status = statusOf(thrown)
  if (status !== undefined) return status >= 500 || passingStatus.has(status)
  if (thrown instanceof TypeError) return thrown.cause !== undefined || /fetch|network|load failed/i.test(thrown.message)
  return thrown instanceof Error && !(thrown instanceof ReferenceError || thrown instanceof RangeError)
}

function statusOf(thrown: unknown): number | undefined {
  const { status, statusCode = status } = recordOf(thrown)
  return typeof statusCode === "number" ? statusCode : undefined
}
