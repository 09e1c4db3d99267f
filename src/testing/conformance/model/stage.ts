import { PromptStrataError } from "../../../core/errors.ts"
import type { LanguageModel, ModelPart, ModelRequest } from "../../../core/model/language-model.ts"
import type { Timers } from "../../../core/ports.ts"
import { frozenJson } from "../../../memory/services/store/frozen-json.ts"
import { claim } from "../claims.ts"
import type { Answer } from "./answer.ts"
import type { ProviderHappening, ProviderScript } from "./provider-scene.ts"

/** A stream that is read part by part. */
export interface OpenStream {
  /** The parts so far. */
  readonly parts: readonly ModelPart[]
  /** The next part, or `undefined` at the end. Throws if the stream fails. */
  next(): Promise<ModelPart | undefined>
  /** Reads the stream to its end. */
  rest(): Promise<Answer>
  /** Leaves the stream as `break` in a loop does. */
  leave(): Promise<void>
}

/** The model of one check and the requests that reached its provider. */
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

/** A step of a check that takes longer than `limitMs` counts as hanging. */
export interface StepLimit {
  readonly limitMs: number
  readonly timers: Timers
}

const plainRequest: ModelRequest = { messages: [{ role: "user", content: "Say something." }] }

/** Keeps the requests that reach a provider. `requested` waits for them. */
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

/** Creates the stage of a check. Requests are frozen, so a model that changes them throws. */
export function createStage(model: LanguageModel, log: ReturnType<typeof requestLog>, limit: StepLimit): Stage {
  const open = (signal: AbortSignal = new AbortController().signal, request: ModelRequest = plainRequest) =>
    openStream(() => model.stream(frozenJson(request, "request"), { signal }), limit)
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

/** Settles as the promise does. Rejects with code `test` once the time is over. */
export function withinLimit<T>(promise: Promise<T>, what: string, { limitMs, timers }: StepLimit): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = timers.set(
      () => reject(new PromptStrataError("test", `expected ${what} within ${limitMs} ms; nothing came.`)),
      limitMs,
    )
    promise.then(resolve, reject).finally(() => timers.clear(timer))
  })
}

/**
 * A feature that a wire format needs for a check: a kind of happening, half a character in a piece of text, a usage report
 * without counts, or data after the finish.
 */
export type ConformanceNeed = ProviderHappening["type"] | "split-characters" | "absent-counts" | "after-finish"

/** A check of the suite. */
export interface Check {
  /** The features that it needs besides text and a finish. */
  readonly needs?: readonly ConformanceNeed[]
  /** True for a model with native tools. Default false. */
  readonly tools?: boolean
  readonly scripts: readonly ProviderScript[]
  verify(stage: Stage): Promise<void>
}

/** Checks by the rule that each one tests. */
export type Checks = Readonly<Record<string, Check>>
