import type { FileReferences } from "../../memory/services/file-references.ts"
import { defaultDocumentSettings } from "../../prompt/layers/documents/document.ts"
import type { OutputFormat } from "../../reply/output/output-part.ts"
import { choice, flag, inCode, line, lines, list, optionalTable, share, table, wholeNumber } from "../key.ts"

const { placement, maxCharacters, minShare, nearlyEmptyCharacters, nearLimitShare } = defaultDocumentSettings

export const documents = optionalTable({
  folder: line(),
  placement: choice(["system", "user"], { default: placement }),
  maxCharacters: wholeNumber({ min: 1, default: maxCharacters }),
  maxTokens: wholeNumber({ min: 1 }),
  minShare: share({ default: minShare }),
  nearlyEmptyCharacters: wholeNumber({ min: 0, default: nearlyEmptyCharacters }),
  nearLimitShare: share({ default: nearLimitShare }),
})

/** Text, pictures, sound and documents that chat apps show. */
const shownFormats: readonly string[] = [
  ...["txt", "md", "csv", "json", "log", "toml", "yaml", "html"],
  ...["png", "jpg", "jpeg", "gif", "webp", "svg"],
  ...["mp3", "ogg", "wav", "mp4", "webm", "pdf", "zip"],
]

export const files = table({
  folder: line(),
  hardLinks: choice(["allow", "refuse"], { default: "refuse" }),
  formats: lines("png", { default: shownFormats }),
})

const bubbles = flag({ default: false })

const links = list<string>(
  {
    kind: "text",
    form: {
      expected: 'a host, such as "example.com", "*.example.com" or "example.com:8443", or "*" for all',
      pattern: String.raw`^(?:\*|(?:\*\.)?[^\s/\\?#@:*]+(?::[0-9]{1,5})?)$`,
    },
  },
  {
    expected: 'an array of hosts, such as ["example.com", "*.example.com"]',
  },
)

/** How the answers of a profile in code are read. */
export const output = table({ bubbles, links, format: inCode<OutputFormat>(), files: inCode<FileReferences>() })

/** `[output]` */
export const outputInFile = table({
  bubbles,
  links,
  fileReferences: flag({ default: false }),
})
