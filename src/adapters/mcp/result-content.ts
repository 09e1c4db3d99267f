import { isRecord, stringOf } from "../../core/json-access.ts"
import { printJson } from "../../prompt/tools/print-json.ts"
import type { ToolAttachment } from "../../prompt/tools/tool.ts"
import type { McpWords } from "./words.ts"

/** The data of a larger attachment is dropped. The text still names it. */
const maxAttachmentBytes = 5_000_000
const maxAttachments = 20
const maxParts = 1_000

const mediaTypePattern = /^[a-zA-Z0-9]{1,40}\/[a-zA-Z0-9.+-]{1,80}$/

/** Reads the parts of a result, a resource or a message. A malformed part becomes JSON text. Never throws. */
export function readContent(parts: readonly unknown[], words: McpWords, takes: (mediaType: string) => boolean = () => false) {
  const attachments: ToolAttachment[] = []
  const texts = parts.slice(0, maxParts).map((part) => {
    const text = partText(part, words)
    if (text !== undefined) return text
    const attachment = attachmentOf(part)
    const { mediaType, bytes } = attachment
    const kept = attachments.length < maxAttachments ? attachment : { mediaType, bytes }
    attachments.push(kept)
    const [family = ""] = mediaType.split("/")
    const shown = kept.base64 !== undefined && takes(mediaType)
    return words.say({ [["image", "audio"].includes(family) ? family : "file"]: true, media_type: mediaType, size: bytes, shown })
  })
  if (parts.length > maxParts) texts.push(`… (+${parts.length - maxParts})`)
  return { text: texts.join("\n"), attachments }
}

/** Returns the text of a part, or `undefined` for a binary part. A malformed part is text, too. */
function partText(part: unknown, words: McpWords): string | undefined {
  if (!isRecord(part)) return printJson(part)
  const { type, text, resource } = part
  if (typeof text === "string") return text
  if (type === "resource_link") return words.say({ link: [stringOf(part.name), stringOf(part.uri)].filter(Boolean).join(" ") })
  if (isRecord(resource) && typeof resource.text === "string") return resource.text
  if (isRecord(resource) && typeof resource.blob === "string") return undefined
  return typeof part.data === "string" || typeof part.blob === "string" ? undefined : printJson(part)
}

function attachmentOf(part: unknown): ToolAttachment {
  const outer = isRecord(part) ? part : {}
  const held = isRecord(outer.resource) ? outer.resource : outer
  const given = stringOf(held.mimeType)
  const mediaType = mediaTypePattern.test(given) ? given.toLowerCase() : "application/octet-stream"
  const data = stringOf(held.data) || stringOf(held.blob)
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0
  const bytes = Math.max(0, Math.floor((data.length * 3) / 4) - padding)
  return { mediaType, bytes, base64: bytes <= maxAttachmentBytes ? data : undefined }
}
