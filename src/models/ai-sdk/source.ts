import { abortedError } from "../../model/aborted-error.ts"
import type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkStreamResult } from "./provider-model.ts"

/** A provider's stream that ends with its signal, whether or not the provider minds it. */
export interface PartSource {
  /** Of the HTTP answer, `""` where the provider does not tell. */
  readonly contentType: string
  /** The next part; after an abort there is none. */
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
  /** Lets go of the stream, and of the connection behind it. */
  close(): void
}

/** Calls `doStream`; throws `aborted` at once when the signal aborts first, and lets go of a stream that comes too late. */
export async function openSource(model: AiSdkLanguageModel, options: AiSdkCallOptions, signal: AbortSignal): Promise<PartSource> {
  const { stream, response } = await unlessAborted(() => model.doStream(options), signal)
  const reader = stream.getReader()
  // Nothing waits for it: a source that never finishes cancelling is abandoned.
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
    const settled = () => signal.removeEventListener("abort", onAbort)
    // `then` with two functions and a try: a provider may throw before it returns, and a PromiseLike has no `catch`.
    new Promise<AiSdkStreamResult>((started) => started(open())).then(
      (result) => {
        settled()
        if (signal.aborted)
          void result.stream
            .getReader()
            .cancel()
            .catch(() => undefined)
        resolve(result)
      },
      (error: unknown) => {
        settled()
        reject(error)
      },
    )
  })
}
