import { PromptStrataError } from "../../core/errors.ts"
import { abortedError } from "../../model/aborted-error.ts"
import type { ModelRequest } from "../../model/language-model.ts"
import type { ModelPart } from "../../model/model-part.ts"
import { recordOf } from "../openai/json-access.ts"
import { callOptions, type RequestForm } from "./call-options.ts"
import { errorPartFault, thrownFault } from "./fault.ts"
import { type AiSdkTarget, aiSdkError } from "./model-error.ts"
import { createPartReader, type PartReader } from "./part-reader.ts"
import { openSource, type PartSource } from "./source.ts"

/** One call of a model. */
export interface AiSdkCall {
  readonly target: AiSdkTarget
  readonly request: ModelRequest
  readonly form: RequestForm
  readonly signal: AbortSignal
  /** What a person should hear about the request. */
  readonly remarks: readonly string[]
}

/** The parts of one answer, as the contract of `LanguageModel.stream` has them. */
export async function* streamParts({ target, request, form, signal, remarks }: AiSdkCall): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortedError(signal)
  const reader = createPartReader()
  let source: PartSource | undefined
  try {
    for (const message of remarks) yield { type: "warning", message }
    source = await openSource(target.model, callOptions(request, form, signal), signal)
    requireStream(source, target)
    for (let next = await source.read(); !next.done; next = await source.read()) {
      const part = recordOf(next.value)
      if (part.type === "error") throw aiSdkError(errorPartFault(part.error, Date.now()), target, part.error)
      // A loop instead of yield*: delegating costs three more turns of the microtask queue per part.
      for (const read of reader.push(part)) yield read
    }
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal)
    if (!reader.finished()) throw asError(thrown, { target, begun: source !== undefined })
    yield { type: "warning", message: "The connection broke after the answer was complete." }
  } finally {
    source?.close()
  }
  if (signal.aborted) throw abortedError(signal)
  requireAnswer(reader, source, target)
  for (const part of reader.end()) yield part
}

function asError(
  thrown: unknown,
  { target, begun }: { readonly target: AiSdkTarget; readonly begun: boolean },
): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  return aiSdkError(thrownFault(thrown, { begun, nowMs: Date.now() }), target, thrown)
}

/** A proxy's page has status 200 and no events; providers read it as a stream that says nothing. */
function requireStream({ contentType }: PartSource, target: AiSdkTarget): void {
  if (!contentType.includes("text/html")) return
  throw aiSdkError({ kind: "web-page", isRetryable: false, said: "a web page" }, target)
}

function requireAnswer(reader: PartReader, source: PartSource | undefined, target: AiSdkTarget): void {
  if (reader.begun() || reader.finished() || !source?.contentType.includes("application/json")) return
  throw aiSdkError({ kind: "not-streamed", isRetryable: false, said: "a JSON document" }, target)
}
