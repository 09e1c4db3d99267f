import type { FileReferences } from "../../memory/services/file-references.ts"
import { defaultDocumentSettings } from "../../prompt/layers/documents/document.ts"
import type { OutputFormat } from "../../reply/output/output-part.ts"
import * as key from "../key.ts"

const { placement, maxCharacters, minShare, nearlyEmptyCharacters, nearLimitShare } = defaultDocumentSettings

export const documents = key.optionalTable({
  folder: key.line(),
  placement: key.choice(["system", "user"], { default: placement }),
  maxCharacters: key.wholeNumber({ min: 1, default: maxCharacters }),
  maxTokens: key.wholeNumber({ min: 1 }),
  minShare: key.share({ default: minShare }),
  nearlyEmptyCharacters: key.wholeNumber({ min: 0, default: nearlyEmptyCharacters }),
  nearLimitShare: key.share({ default: nearLimitShare }),
})

/** Text, pictures, sound and documents that chat apps show. */
const shownFormats: readonly string[] = [
  ...["txt", "md", "csv", "json", "log", "toml", "yaml", "html"],
  ...["png", "jpg", "jpeg", "gif", "webp", "svg"],
  ...["mp3", "ogg", "wav", "mp4", "webm", "pdf", "zip"],
]

export const files = key.table({
  folder: key.line(),
  hardLinks: key.choice(["allow", "refuse"], { default: "refuse" }),
  formats: key.lines("png", { default: shownFormats }),
})

const bubbles = key.flag({ default: false })

const links = key.list<string>(
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
export const output = key.table({ bubbles, links, format: key.inCode<OutputFormat>(), files: key.inCode<FileReferences>() })

/** `[output]` */
export const outputInFile = key.table({
  bubbles,
  links,
  fileReferences: key.flag({ default: false }),
})
