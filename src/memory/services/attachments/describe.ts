import type { Attachment } from "../../../core/conversation.ts"
import type { Timers } from "../../../core/ports.ts"
import { whatHappened, within } from "../../../core/timers.ts"

/** An attachment to describe, with its bytes unless it is a URL. */
export interface DescribedAttachment extends Attachment {
  readonly bytes?: Uint8Array | undefined
}

/** Describes a picture, a recording or another file in a sentence or two. An empty text means nothing. */
export type Describe = (attachment: DescribedAttachment, options: { readonly signal: AbortSignal }) => string | Promise<string>

/** Longer descriptions are cut. */
const maxCharacters = 500

interface CaptionOptions {
  readonly describe: Describe
  /** By id, the bytes of the attachments. */
  readonly bytes: ReadonlyMap<string, Uint8Array>
  readonly timeoutMs: number
  readonly timers: Timers
  readonly signal: AbortSignal
  readonly onWarning: (message: string) => void
}

/** The attachments with captions. One that cannot be described in time stays without, which is reported. Files of the workspace are not described. */
export function withCaptions(
  attachments: readonly Attachment[],
  { describe, bytes, timeoutMs, timers, signal, onWarning }: CaptionOptions,
): Promise<readonly Attachment[]> {
  return Promise.all(
    attachments.map(async (attachment) => {
      const { name, blob, url } = attachment
      if (blob === undefined && url === undefined) return attachment
      const given = blob === undefined ? attachment : { ...attachment, bytes: bytes.get(blob) }
      const outcome = await within({ timeoutMs, signal, timers }, async (own) => describe(given, { signal: own }))
      const isText = outcome.status === "done" && typeof outcome.value === "string"
      if (!isText && outcome.status !== "aborted") {
        const why = outcome.status === "done" ? "returned no text" : whatHappened(outcome, timeoutMs)
        onWarning(`The description of ${JSON.stringify(name)} ${why}. It has no caption.`)
      }
      const caption = isText ? oneLine(outcome.value) : ""
      return caption === "" ? attachment : { ...attachment, caption }
    }),
  )
}

function oneLine(text: string): string {
  const line = text.toWellFormed().split(/\s+/u).filter(Boolean).join(" ")
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1).toWellFormed()}…`
}
