import { checkOptions } from "../../core/check-options.ts"
import type { AttachmentInput } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"

/** Options of {@link fetchAttachment}. */
export interface FetchAttachmentOptions {
  /** The name in prompts. Default: the end of the URL's path. */
  readonly name?: string | undefined
  /** Default: the kind that the server names or, for a picture, that the first bytes show. */
  readonly mediaType?: string | undefined
  /** The most bytes that are read. Default 20,000,000. */
  readonly maxBytes?: number
  /** Ends the download. Default: after 30 seconds. */
  readonly signal?: AbortSignal
  /** Sends the request. Default: the host's `fetch`. */
  readonly fetch?: (url: string, options: { readonly signal: AbortSignal }) => Promise<Response>
}

/**
 * Loads a file of a message, for `attachments` of `send` and `hear`. Addresses of platforms expire or hold the bot's key, so no model gets
 * them. Rejects with `file-missing` or `file` for a file that cannot be loaded and `file-size` for one that is too large, of which no more
 * is read. The errors do not hold the address.
 */
export async function fetchAttachment(url: string, options: FetchAttachmentOptions = {}): Promise<AttachmentInput> {
  checkOptions("fetchAttachment", options, "name mediaType maxBytes signal fetch")
  const parsed = URL.parse(url)
  // The error of the host's `fetch` would hold the address, which can hold the bot's key.
  if (!parsed && (typeof url !== "string" || !options.fetch)) {
    const found = typeof url === "string" ? "a text that is no URL" : typeof url === "object" ? "an object" : String(url)
    throw new PromptStrataError("file", `expected the URL of a file to attach, found ${found}.`)
  }
  const { maxBytes = 20_000_000, signal = AbortSignal.timeout(30_000), fetch = globalThis.fetch } = options
  try {
    const response = await fetch(url, { signal })
    const bytes = await bytesOf(response, maxBytes)
    const said = response.headers.get("content-type") ?? undefined
    const mediaType = options.mediaType ?? (said?.startsWith("application/octet-stream") ? undefined : said)
    // The path of a data URL is the file itself.
    const name = options.name ?? (parsed?.protocol === "data:" ? undefined : parsed?.pathname.split("/").at(-1))
    return { bytes, name: name || undefined, mediaType: mediaType || undefined }
  } catch (error) {
    if (PromptStrataError.isInstance(error)) throw error
    const why = signal.aborted ? "it took too long, or was ended" : "the connection failed"
    throw new PromptStrataError("file", `expected a file to attach; it could not be loaded: ${why}.`, { cause: error })
  }
}

async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array> {
  const { ok, status, headers } = response
  const length = Number(headers.get("content-length") ?? 0)
  if (!ok || length > maxBytes) await response.body?.cancel()
  if (!ok) throw new PromptStrataError("file-missing", `expected a file to attach; the server answered with status ${status}.`)
  if (length > maxBytes) throw tooLarge(length, maxBytes)
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw tooLarge(sizeBytes, maxBytes)
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer())
}

function tooLarge(sizeBytes: number, maxBytes: number): PromptStrataError {
  const message = `expected a file of at most ${maxBytes} bytes to attach, found ${sizeBytes} or more.`
  return new PromptStrataError("file-size", message, { evidence: { sizeBytes, maxBytes } })
}
