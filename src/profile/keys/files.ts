import type { FileReferences } from "../../memory/services/file-references.ts"
import { defaultDocumentSettings } from "../../prompt/layers/documents/document.ts"
import type { OutputFormat } from "../../reply/output/output-part.ts"
import { choice, flag, inCode, line, lines, list, optionalTable, share, table, wholeNumber } from "../key.ts"

const { placement, maxCharacters, minShare, nearlyEmptyCharacters, nearLimitShare } = defaultDocumentSettings

export const documents = optionalTable(
  'The living documents SOUL.md, USER.md and MEMORY.md, read anew every turn. All people who speak with the agent share them, and so what the others said, unless `memory.store` is "documents". Without this table there are none. Dialect "soul" says what each is and what to do with it. The others show each where they show other context, unless your prompts name their slots.',
  {
    folder: line({ words: "The folder with these files. Relative to this file.", otherwise: "`files.folder`" }),
    placement: choice(["system", "user"], {
      default: placement,
      words: "The message in which USER.md and MEMORY.md stand. SOUL.md stands in the system message.",
    }),
    maxCharacters: wholeNumber({ min: 1, default: maxCharacters, words: "A longer document is shown with its middle cut out." }),
    maxTokens: wholeNumber({
      min: 1,
      otherwise: "max_characters is the limit",
      words: "The limit in tokens, in place of max_characters. They are counted as those of the budget.",
    }),
    minShare: share({ default: minShare, words: "Share of the limit that each document keeps, however few tokens there are." }),
    nearlyEmptyCharacters: wholeNumber({
      min: 0,
      default: nearlyEmptyCharacters,
      words: "Below this, USER.md counts as nearly empty.",
    }),
    nearLimitShare: share({ default: nearLimitShare, words: "Above this share of the limit, MEMORY.md counts as nearly full." }),
  },
)

/** Text, pictures, sound and documents that chat apps show. */
const shownFormats: readonly string[] = [
  ...["txt", "md", "csv", "json", "log", "toml", "yaml", "html"],
  ...["png", "jpg", "jpeg", "gif", "webp", "svg"],
  ...["mp3", "ogg", "wav", "mp4", "webm", "pdf", "zip"],
]

export const files = table("The folder in which tools read and write files. They see nothing outside it.", {
  folder: line({ words: "The folder. Relative to this file.", otherwise: "`workspace` in the data folder" }),
  hardLinks: choice(["allow", "refuse"], {
    default: "refuse",
    words: "Allow or refuse to open a file that has a second name, which may lie outside the folder.",
  }),
  formats: lines("png", {
    default: shownFormats,
    words:
      "Endings of files that an answer can show, without a dot and in lower case. Prompts show them as `${supported_formats}`.",
  }),
})

const outputWords = "How an answer is read before it is shown."
const bubbles = flag({ default: false, words: "Split answers into bubbles at `@br`, and read `<empty_reply>` as silence." })

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
    words:
      'The hosts whose links and images an answer may have: `"example.com"` alone, `"*.example.com"` for all below it. Others are removed, and the trace says so; `[]` leaves text only, `["*"]` all as it is ([turn.md](turn.md#links)).',
    otherwise: "all as it is; for bots and pages text only",
  },
)

/** How the answers of a profile in code are read. */
export const output = table(outputWords, {
  bubbles,
  links,
  format: inCode<OutputFormat>("The parser of `format`, where it has one (L4)."),
  files: inCode<FileReferences>("Opens the files that an answer names by `%[path]` (R8). Without it `%[` is text."),
})

/** `[output]` */
export const outputInFile = table(outputWords, {
  bubbles,
  links,
  fileReferences: flag({
    default: false,
    words:
      "Open the files of the folder in [files] that an answer names by `%[path]` or `%[path] Line 3 ~ Line 8`, and pass them on as attachments.",
  }),
})
