import { PromptStrataError, type PromptStrataErrorOf } from "../../../src/core/errors.ts"
import type { FinishReason, LanguageModel, ModelPart, ModelRequest, Usage } from "../../../src/core/model/language-model.ts"
import type { Timers } from "../../../src/core/ports.ts"
import { frozenJson } from "../../../src/memory/services/store/frozen-json.ts"
import { claim } from "../../../src/testing/conformance/claims.ts"

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

/** One action of a provider while it answers a request, independent of the wire format. */
export type ProviderHappening =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** `args` are the pieces of the call's JSON text. A format that streams arguments sends each piece on its own. */
  | { readonly type: "tool-call"; readonly id: string; readonly name: string; readonly args: readonly string[] }
  /** The provider sends a file that the model made, whole. */
  | { readonly type: "file"; readonly mediaType: string; readonly base64: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finish"; readonly reason: FinishReason }
  /** The connection breaks. */
  | { readonly type: "cut" }
  /** Nothing more comes until the client leaves. */
  | { readonly type: "stall" }
  /** An error status with this message instead of an answer. It is always the only action of its script. */
  | { readonly type: "status"; readonly status: number; readonly message: string; readonly retryAfterMs?: number }

/** The actions for one request, in order. After the last one the stream ends normally, except after a cut, stall or status. */
export type ProviderScript = readonly ProviderHappening[]

/** The set-up of one check: a provider that plays scripts, and a model that talks to it. */
export interface ProviderScene {
  /** A script for each request, in order of arrival. */
  readonly scripts: readonly ProviderScript[]
  /** The API key for the model. The provider's messages may repeat it; no error may. */
  readonly secret: string
  /** True if the model has native tools. */
  readonly tools: boolean
  /** Call this with the body of each request that reaches the provider: its text, or JSON data. */
  readonly onRequest: (body: unknown) => void
}

/** A model whose provider plays a scene. `close` ends both. */
export interface PlayedModel {
  readonly model: LanguageModel
  close?(): void | Promise<void>
}

/** Starts a provider that plays the scene, and creates a model that talks to it. */
export type PlayProvider = (scene: ProviderScene) => PlayedModel | Promise<PlayedModel>

/** The API key of every scene's model. It has the shape of a key, so that redaction finds it. */
export const conformanceSecret = "sk-conformance-0123456789abcdef"

/** The outcome of one request. */
interface Answer {
  readonly parts: readonly ModelPart[]
  /** The error that the request failed with, if it failed. */
  readonly error?: unknown
}

/** The provider sends a piece of text. */
export const text = (piece: string): ProviderHappening => ({ type: "text", text: piece })

/** The provider finishes. */
export const finish = (reason: FinishReason = "stop"): ProviderHappening => ({ type: "finish", reason })

/** A request that is answered with the text `fine`. */
export const fine: ProviderScript = [text("fine"), finish()]

/** Claims that an answer is that of {@link fine}. */
export function claimFine(answer: Answer): void {
  const said = textOf(wholeAnswer(answer))
  claim(said === "fine", 'the text "fine"', said)
}

/** Claims that the answer did not fail and ends in its only finish. Returns its parts. */
export function wholeAnswer({ parts, error }: Answer): readonly ModelPart[] {
  claim(error === undefined, "an answer without an error", error)
  const finishes = parts.filter((part) => part.type === "finish")
  claim(finishes.length === 1, "exactly one finish", parts)
  claim(parts.at(-1)?.type === "finish", "the finish as the last part", parts)
  return parts
}

/** Claims that the answer failed with code `model` and this `isRetryable` in its evidence. Returns the error. */
export function modelFailure({ parts, error }: Answer, isRetryable: boolean): PromptStrataErrorOf<"model"> {
  claim(PromptStrataError.isInstance(error), "a PromptStrataError", error ?? parts)
  claim(error.code === "model", "code `model`", error.code)
  claim(error.evidence.isRetryable === isRetryable, `evidence.isRetryable to be ${isRetryable}`, error.evidence)
  claim(!parts.some((part) => part.type === "finish"), "no finish in a failed answer", parts)
  return error
}

/** Claims that the request was aborted. */
export function abortedAnswer({ parts, error }: Answer): void {
  claim(PromptStrataError.isInstance(error) && error.code === "aborted", "an error with code `aborted`", error ?? parts)
  claim(!parts.some((part) => part.type === "finish"), "no finish in an aborted answer", parts)
}

/** All text of an answer, joined. */
export function textOf(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
}
