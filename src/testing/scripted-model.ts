import { checkOptions, checkType } from "../core/check-options.ts"
import { PromptStrataError } from "../core/errors.ts"
import {
  abortedError,
  type LanguageModel,
  type ModelCapabilities,
  type ModelPart,
  type ModelRequest,
} from "../core/model/language-model.ts"
import { textChunks } from "../core/model/text-chunks.ts"

/** Settings of a {@link ScriptedModel}. */
export interface ScriptedModelOptions {
  /** Default `scripted`. */
  readonly id?: string
  /** Default: no developer role, no native tools. */
  readonly capabilities?: Partial<ModelCapabilities>
  /** A text step is cut into pieces of this many UTF-16 units; characters stay whole. Default 4. */
  readonly chunkSize?: number
}

/** A model that answers from a script and keeps its requests. */
export interface ScriptedModel extends LanguageModel {
  /** Every request so far, also one for which the script had no step. */
  readonly requests: readonly ModelRequest[]
  /** Throws code `test` unless every step was requested exactly once. */
  assertDone(): void
}

/** One piece of a scripted answer: text, any part, an error to throw, or silence until the request is aborted. */
export type ScriptedChunk = string | ModelPart | Error | { readonly stallUntilAborted: true }

/** An answer: a text, which is cut into small pieces, or chunks, which are yielded as they are. */
export type ScriptedAnswer = string | readonly ScriptedChunk[]

/** The answer to one request, or a function that makes it from the request and its index, from 0. */
export type ScriptedStep = ScriptedAnswer | ((request: ModelRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>)

/**
 * Creates a model that answers its n-th request with the n-th step. A request beyond the last step throws code `test` and
 * shows the request. `assertDone` finds steps that were never requested; `expectScriptsDone` does so for all models of a test.
 */
export function scriptedModel(steps: readonly ScriptedStep[], options: ScriptedModelOptions = {}): ScriptedModel {
  checkOptions("scriptedModel", options, "id capabilities chunkSize")
  const { id = "scripted", capabilities, chunkSize = 4 } = options
  const requests: ModelRequest[] = []
  const model: ScriptedModel = {
    id,
    capabilities: { developerRole: false, tools: false, ...capabilities },
    requests,
    async *stream(request, { signal }) {
      if (signal.aborted) throw abortedError(signal)
      const index = requests.push(request) - 1
      const step = steps[index]
      if (step === undefined) throw missingStep(id, steps.length, requests)
      try {
        const answer = typeof step === "function" ? await step(request, index) : step
        for (const chunk of chunksOf(answer, chunkSize)) yield await play(chunk, signal)
      } catch (thrown) {
        throw final(thrown)
      }
    },
    assertDone() {
      if (requests.length < steps.length) throw unusedSteps(id, steps, requests)
      if (requests.length > steps.length) throw missingStep(id, steps.length, requests)
    },
  }
  made.push(model)
  return model
}

async function play(chunk: ScriptedChunk, signal: AbortSignal): Promise<ModelPart> {
  if (signal.aborted) throw abortedError(signal)
  if (typeof chunk === "string") return { type: "text-delta", delta: chunk }
  if (chunk instanceof Error) throw chunk
  if ("type" in chunk) return chunk
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
  throw abortedError(signal)
}

/**
 * Marks an error that does not say if a turn may try again as final, because the script's next step is for the next request. The mark
 * is not enumerable, so that the error still equals the one that the test made.
 */
function final(thrown: unknown): unknown {
  const isOpen = thrown instanceof Error && !("isRetryable" in thrown) && Object.isExtensible(thrown)
  return isOpen && !PromptStrataError.isInstance(thrown) ? Object.defineProperty(thrown, "isRetryable", { value: false }) : thrown
}

function missingStep(id: string, count: number, requests: readonly ModelRequest[]): PromptStrataError {
  const last = requests.at(-1)?.messages.at(-1)
  const asked = last ? `The request's last message (${last.role}):\n${last.content}` : "The request has no messages."
  return new PromptStrataError("test", `${id} has ${count} step(s), but request ${requests.length} was made. ${asked}`, {
    evidence: { steps: count, requests: requests.length },
    hint: "Add a step for this request, or find out why it was made.",
  })
}

function unusedSteps(id: string, steps: readonly ScriptedStep[], { length }: readonly ModelRequest[]): PromptStrataError {
  const next = steps[length]
  const shown = typeof next === "function" ? "a function" : JSON.stringify(next)
  const message = `${id} has ${steps.length} step(s), but only ${length} request(s) were made. The next step is ${shown}.`
  return new PromptStrataError("test", message, {
    evidence: { steps: steps.length, requests: length },
    hint: "Remove the step, or find out why its request was never made.",
  })
}

/** The chunks of an answer. A finish is added unless the script has one, throws or stalls. */
function chunksOf(answer: ScriptedAnswer, chunkSize: number): readonly ScriptedChunk[] {
  const chunks = typeof answer === "string" ? textChunks(answer, chunkSize) : answer
  checkType("an answer of scriptedModel", chunks, "list")
  for (const chunk of chunks) {
    if (typeof chunk !== "string") checkType("a chunk of scriptedModel", chunk, "object")
    const isPart = typeof chunk === "object" && !(chunk instanceof Error) && !("stallUntilAborted" in chunk)
    if (isPart) checkType("the type of a chunk of scriptedModel", chunk.type, "string")
  }
  return chunks.some(endsAnswer)
    ? chunks
    : [...chunks, { type: "finish", reason: chunks.some(isToolCall) ? "tool-calls" : "stop" }]
}

function endsAnswer(chunk: ScriptedChunk): boolean {
  return chunk instanceof Error || (typeof chunk === "object" && ("stallUntilAborted" in chunk || chunk.type === "finish"))
}

function isToolCall(chunk: ScriptedChunk): boolean {
  return typeof chunk === "object" && "type" in chunk && chunk.type === "tool-call"
}

interface Script {
  assertDone(): void
}

/** {@link expectScriptsDone} will check these. */
let made: Script[] = []

/**
 * Throws unless every scripted model made since the last call got all of its requests, and no more. Call it once
 * per test file: `afterEach(expectScriptsDone)`. Not for tests that run concurrently in one file.
 */
export function expectScriptsDone(): void {
  const scripts = made
  made = []
  for (const script of scripts) script.assertDone()
}
