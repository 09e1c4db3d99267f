import { PromptStrataError } from "../../core/errors.ts"
import { abortedError } from "../../model/aborted-error.ts"
import type { ModelPart } from "../../model/model-part.ts"
import { recordOf } from "../json-access.ts"
import { createPartReader, type PartReader } from "./part-reader.ts"
import { type AiSdkTarget, aiSdkError, errorPartFault, thrownFault } from "./provider-errors.ts"
import type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkStreamResult } from "./provider-model.ts"

/** One call of a model. */
interface AiSdkCall {
  readonly target: AiSdkTarget
  readonly options: () => AiSdkCallOptions
  readonly signal: AbortSignal
  /** Warnings about the request. They come before the answer. */
  readonly warnings: readonly string[]
}

/** Streams the parts of one answer, by the contract of `LanguageModel.stream`. */
export async function* streamParts({ target, options, signal, warnings }: AiSdkCall): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortedError(signal)
  const reader = createPartReader()
  let source: PartSource | undefined
  try {
    for (const message of warnings) yield { type: "warning", message }
    source = await openSource(target.model, options(), signal)
    // The page of a proxy has status 200 and no events. Providers read it as an empty stream.
    if (source.contentType.includes("text/html")) {
      throw aiSdkError({ kind: "web-page", isRetryable: false, said: "a web page" }, target)
    }
    for (let next = await source.read(); !next.done; next = await source.read()) {
      const part = recordOf(next.value)
      if (part.type === "error") throw aiSdkError(errorPartFault(part.error, Date.now()), target, part.error)
      // A loop instead of yield*, which costs three more microtasks per part.
      for (const read of reader.push(part)) yield read
    }
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal)
    if (!reader.finished()) throw asModelError(thrown, target, source !== undefined)
    yield { type: "warning", message: "The connection broke after the answer was complete." }
  } finally {
    source?.close()
  }
  if (signal.aborted) throw abortedError(signal)
  requireAnswer(reader, source, target)
  for (const part of reader.end()) yield part
}

function asModelError(thrown: unknown, target: AiSdkTarget, begun: boolean): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  return aiSdkError(thrownFault(thrown, { begun, nowMs: Date.now() }), target, thrown)
}

function requireAnswer(reader: PartReader, source: PartSource | undefined, target: AiSdkTarget): void {
  if (reader.begun() || reader.finished() || !source?.contentType.includes("application/json")) return
  throw aiSdkError({ kind: "not-streamed", isRetryable: false, said: "a JSON document" }, target)
}

/** A provider's stream that ends when its signal aborts, even if the provider ignores the signal. */
interface PartSource {
  /** The content type of the HTTP answer, or `""` when the provider does not give it. */
  readonly contentType: string
  /** Returns the next part. After an abort there is none. */
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
  /** Cancels the stream and with it the connection. */
  close(): void
}

/** Calls `doStream`. Throws `aborted` as soon as the signal aborts; a stream that comes after that is cancelled. */
async function openSource(model: AiSdkLanguageModel, options: AiSdkCallOptions, signal: AbortSignal): Promise<PartSource> {
  const { stream, response } = await unlessAborted(() => model.doStream(options), signal)
  const reader = stream.getReader()
  // Nobody waits for this: some sources never finish cancelling.
  const close = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener("abort", close)
  const contentType = Object.entries(response?.headers ?? {}).find(([name]) => name.toLowerCase() === "content-type")?.[1]
  return {
    contentType: contentType ?? "",
    read: () => reader.read(),
    close() {
      signal.removeEventListener("abort", close)
      close()
    },
  }
}

function unlessAborted(open: () => PromiseLike<AiSdkStreamResult>, signal: AbortSignal): Promise<AiSdkStreamResult> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortedError(signal))
    signal.addEventListener("abort", onAbort)
    const removeListener = () => signal.removeEventListener("abort", onAbort)
    // This catches a provider that throws before it returns a promise. A PromiseLike has no `catch`.
    new Promise<AiSdkStreamResult>((started) => started(open())).then(
      (result) => {
        removeListener()
        if (signal.aborted) {
          const late = result.stream.getReader()
          late.cancel().catch(() => undefined)
        }
        resolve(result)
      },
      (error: unknown) => {
        removeListener()
        reject(error)
      },
    )
  })
}
