import { PromptStrataError } from "../../../core/errors.ts"
import type { Timers } from "../../../core/ports.ts"
import type { LanguageModel, ModelRequest } from "../../../model/language-model.ts"
import type { ModelPart } from "../../../model/model-part.ts"
import { claim } from "../claims.ts"
import type { Answer } from "./answer.ts"
import type { ProviderHappening, ProviderScript } from "./provider-scene.ts"

/** A stream that is read part by part. */
export interface OpenStream {
  /** What came so far. */
  readonly parts: readonly ModelPart[]
  /** The next part, or `undefined` at the end; a stream that fails here fails the check. */
  next(): Promise<ModelPart | undefined>
  /** Reads on to the end. */
  rest(): Promise<Answer>
  /** Leaves the stream as a loop does that breaks. */
  leave(): Promise<void>
}

/** One check's model and what its provider was asked. */
interface Stage {
  readonly model: LanguageModel
  /** The bodies of the requests, as JSON text. */
  readonly requests: readonly string[]
  /** Resolves once that many requests have reached the provider. */
  requested(count: number): Promise<void>
  open(signal?: AbortSignal, request?: ModelRequest): OpenStream
  /** Reads a whole answer. */
  read(signal?: AbortSignal, request?: ModelRequest): Promise<Answer>
}

/** How long one step of a check may take before it counts as hanging. */
export interface StepLimit {
  readonly limitMs: number
  readonly timers: Timers
}

const plainRequest: ModelRequest = { messages: [{ role: "user", content: "Say something." }] }

/** The requests that reach a provider, for whoever waits for them. */
export function requestLog() {
  const requests: string[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  return {
    requests,
    onRequest(body: unknown): void {
      requests.push(typeof body === "string" ? body : (JSON.stringify(body) ?? ""))
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve()
    },
    requested: (count: number) =>
      new Promise<void>((resolve) => {
        if (requests.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
  }
}

/** A stage for a model. Requests are frozen: a model that changes them throws. */
export function createStage(model: LanguageModel, log: ReturnType<typeof requestLog>, limit: StepLimit): Stage {
  const open = (signal: AbortSignal = new AbortController().signal, request: ModelRequest = plainRequest) =>
    openStream(() => model.stream(deepFreeze(request), { signal }), limit)
  return {
    model,
    requests: log.requests,
    requested: (count) => withinLimit(log.requested(count), `request ${count} to reach the provider`, limit),
    open,
    read: (signal, request) => open(signal, request).rest(),
  }
}

function openStream(start: () => AsyncIterable<ModelPart>, limit: StepLimit): OpenStream {
  const parts: ModelPart[] = []
  let iterator: AsyncIterator<ModelPart> | undefined
  const pull = async () => {
    iterator ??= start()[Symbol.asyncIterator]()
    const { done, value } = await withinLimit(iterator.next(), "the next part, the end or an error", limit)
    if (done === true) return undefined
    parts.push(value)
    return value
  }
  return {
    parts,
    async next() {
      try {
        return await pull()
      } catch (error) {
        if (isTestError(error)) throw error
        claim(false, "a part or the end", error)
      }
    },
    async rest() {
      try {
        while ((await pull()) !== undefined);
        return { parts }
      } catch (error) {
        if (isTestError(error)) throw error
        return { parts, error }
      }
    },
    leave: async () =>
      void (await withinLimit(Promise.resolve(iterator?.return?.()), "the stream to end when it is left", limit)),
  }
}

function isTestError(error: unknown): boolean {
  return PromptStrataError.isInstance(error) && error.code === "test"
}

/** The promise's outcome, or an error of code `test` once the time is over. */
export function withinLimit<T>(promise: Promise<T>, what: string, { limitMs, timers }: StepLimit): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = timers.set(
      () => reject(new PromptStrataError("test", `expected ${what} within ${limitMs} ms; nothing came.`)),
      limitMs,
    )
    promise.then(resolve, reject).finally(() => timers.clear(timer))
  })
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

/**
 * What a wire format must be able to say for a check to make sense: a kind of happening, half a character in a piece of
 * text, a count of tokens that is not there, or anything at all after the finish.
 */
export type ConformanceNeed = ProviderHappening["type"] | "split-characters" | "absent-counts" | "after-finish"

/** A check as the suite keeps it. */
export interface Check {
  readonly name: string
  /** What it needs beside text and a finish. */
  readonly needs?: readonly ConformanceNeed[]
  /** Default false. */
  readonly tools?: boolean
  readonly scripts: readonly ProviderScript[]
  verify(stage: Stage): Promise<void>
}
