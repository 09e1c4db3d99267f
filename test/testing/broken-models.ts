import { PromptStrataError } from "../../src/core/errors.ts"
import type { LanguageModel, ModelPart, ModelRequest } from "../../src/core/model/language-model.ts"
import { createWellFormedReader } from "../../src/reply/incoming-text.ts"
import type { PlayProvider, ProviderHappening, ProviderScene } from "../support/conformance/stage.ts"

/** The flaws that a broken model can have, each on its own. */
export interface Flaws {
  /** Changes the parts of an answer, one by one. */
  parts?(part: ModelPart): readonly ModelPart[]
  /** Changes the request that is sent. */
  send?(request: ModelRequest): unknown
  /** Changes the error that is thrown. */
  thrown?(error: PromptStrataError, scene: ProviderScene): unknown
  /** Yields half a character as it comes. */
  rawText?: boolean
  /** Collects everything and yields it at the end. */
  late?: boolean
  /** Ends the stream instead of failing or being silent. */
  cutIsEnd?: boolean
  statusIsText?: boolean
  /** Yields every finish that the provider sends, at its place. */
  rawFinish?: boolean
  noFinish?: boolean
  /** Yields the pieces of calls, also of calls that break off. */
  brokenCalls?: boolean
  blankArguments?: boolean
  zeroUsage?: boolean
  /** Sends its request a while after it was asked. */
  slow?: boolean
  /** Ignores the signal. */
  deaf?: boolean
  /** Obeys the signal only in the middle of a message, or only before it. */
  deafAtFirst?: boolean
  deafAtStart?: boolean
  deafBeforeStart?: boolean
  /** Leaves a rejected promise without a handler. */
  rejectsLater?: boolean
  /** Shares one buffer between all streams. */
  sharedText?: boolean
  /** Aborting one request aborts all. */
  sharedAbort?: boolean
  /** Never answers again after a failure. */
  diesOfFailure?: boolean
  neverReturns?: boolean
  id?: string
  emptyThrows?: boolean
  mutates?: boolean
}

/** Creates a model that keeps every rule but those of its flaws. It contains its provider. */
export function playBroken(flaws: Flaws): PlayProvider {
  return (scene) => {
    let count = 0
    let dead = false
    const shared = { text: "", aborted: new AbortController() }
    const model: LanguageModel = {
      id: flaws.id ?? "sound",
      capabilities: { developerRole: false, tools: scene.tools },
      stream: (request, { signal }) => {
        const stream = answer(request, signal)
        return flaws.neverReturns ? { [Symbol.asyncIterator]: () => ({ ...forever, next: () => stream.next() }) } : stream
      },
    }
    return { model }

    async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
      if (signal.aborted && !flaws.deaf && !flaws.deafBeforeStart) throw aborted()
      if (flaws.mutates) (request.messages as unknown[]).push({ role: "user", content: "more" })
      const script = scene.scripts[count++] ?? []
      if (flaws.slow) await new Promise((resolve) => setImmediate(resolve))
      scene.onRequest((flaws.send ?? (({ tools, ...rest }) => (scene.tools ? { ...rest, tools } : rest)))(wellFormed(request)))
      if (dead) throw failure(500, "dead")
      if (flaws.rejectsLater) void Promise.reject(new Error("left behind"))
      try {
        await Promise.resolve()
        if (signal.aborted && !flaws.deaf && !flaws.deafAtStart) throw aborted()
        const held: ModelPart[] = []
        for await (const part of play(script, signal)) {
          if (flaws.late) held.push(part)
          else for (const changed of flaws.parts?.(part) ?? [part]) yield changed
        }
        yield* held
      } catch (error) {
        if (flaws.diesOfFailure) dead = true
        throw flaws.thrown?.(error as PromptStrataError, scene) ?? error
      }
    }

    async function* play(script: readonly ProviderHappening[], signal: AbortSignal): AsyncGenerator<ModelPart> {
      const text = createWellFormedReader()
      const ends: ModelPart[] = []
      let reason: ModelPart = { type: "finish", reason: "other" }
      let finished = false
      let first = true
      for (const happening of script) {
        if (signal.aborted && !flaws.deaf) throw aborted()
        await Promise.resolve()
        if (finished && !flaws.rawFinish) continue
        switch (happening.type) {
          case "text": {
            if (flaws.sharedText) {
              shared.text += happening.text
              await new Promise((resolve) => setImmediate(resolve))
              yield { type: "text-delta", delta: shared.text }
              shared.text = ""
            } else if (flaws.rawText) yield { type: "text-delta", delta: happening.text }
            else for (const delta of text.push(happening.text)) yield { type: "text-delta", delta }
            break
          }
          case "thinking":
            yield { type: "thinking-delta", delta: happening.text }
            break
          case "tool-call": {
            const args = happening.args.join("") || (flaws.blankArguments ? "" : "{}")
            const call: ModelPart = { type: "tool-call", call: { id: happening.id, name: happening.name, args } }
            if (flaws.brokenCalls) yield call
            else ends.push(call)
            break
          }
          case "file":
            yield happening
            break
          case "usage":
            ends.push({ type: "usage", usage: happening.usage })
            break
          case "finish":
            if (flaws.rawFinish) yield { type: "finish", reason: happening.reason }
            finished = true
            reason = { type: "finish", reason: happening.reason }
            break
          case "cut":
            if (flaws.cutIsEnd) break
            throw failure(undefined, "broke off")
          case "status":
            if (flaws.statusIsText) yield { type: "text-delta", delta: happening.message }
            else throw failure(happening.status, happening.message.replaceAll(scene.secret, "[secret]"), happening.retryAfterMs)
            break
          case "stall":
            if (flaws.deaf || (flaws.deafAtFirst && first)) await new Promise(() => undefined)
            await silence(flaws.sharedAbort ? [signal, shared.aborted.signal] : [signal])
            if (flaws.sharedAbort) shared.aborted.abort()
            throw aborted()
        }
        first = false
      }
      if (script.length === 0 && flaws.emptyThrows) throw new TypeError("no choices")
      for (const delta of text.end()) yield { type: "text-delta", delta }
      if (flaws.zeroUsage && !ends.some(({ type }) => type === "usage")) ends.push({ type: "usage", usage: { inputTokens: 0 } })
      yield* ends
      if (!flaws.rawFinish && !flaws.noFinish) yield reason
    }
  }
}

const forever = { return: () => new Promise<never>(() => undefined) }

function silence(signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) resolve()
    for (const signal of signals) signal.addEventListener("abort", () => resolve(), { once: true })
  })
}

function aborted(): PromptStrataError {
  return new PromptStrataError("aborted", "Aborted.")
}

function failure(status: number | undefined, message: string, retryAfterMs?: number): PromptStrataError {
  const isRetryable = status === undefined || status >= 500 || status === 429
  return new PromptStrataError("model", message, {
    evidence: { isRetryable, ...(status !== undefined && { status }), ...(retryAfterMs !== undefined && { retryAfterMs }) },
  })
}

function wellFormed(request: ModelRequest): ModelRequest {
  return { ...request, messages: request.messages.map((message) => ({ ...message, content: message.content.toWellFormed() })) }
}
