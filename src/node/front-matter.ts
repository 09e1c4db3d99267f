import matter from "gray-matter"
import { locatedError, type PromptStrataError } from "../core/errors.ts"
import { positionAt } from "../core/source.ts"
import { normalizeText } from "../template/scanner.ts"
import { readYamlMapping } from "./yaml-data.ts"

/** The longest front matter that is read, in UTF-16 units: what reads it is quadratic in places. */
const maxLength = 16_384

/** A file's front matter and the rest of it. */
export interface FrontMatter {
  /** Plain data; `{}` where there is none. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** What follows the closing line; the whole text where there is no front matter. Line breaks are `\n`, a byte order mark is gone. */
  readonly body: string
  /** The file's line on which the body begins. */
  readonly firstLine: number
}

/** A file cut at its front matter, which nothing has read yet. */
export interface SplitFile {
  /** The whole file with `\n` for every line break. */
  readonly whole: string
  /** The YAML between the two lines `---`; absent where there is none. */
  readonly block?: string
  /** Where the block, with the line break before it, begins in `whole`. */
  readonly offset: number
  readonly body: string
  /** The file's line on which the body begins. */
  readonly firstLine: number
}

/**
 * Splits a file into front matter and body. Front matter is data only (L12): YAML between a first line `---` and the next
 * line `---`; another engine (`---js`) is refused before anything reads it. A first line `---` that is never closed is a
 * thematic break, and the whole text is body. Mistakes throw a located error with code `front-matter`.
 */
export function parseFrontMatter(text: string, file: string): FrontMatter {
  const { whole, block, offset, body, firstLine } = splitFrontMatter(text, file)
  return { attributes: block === undefined ? {} : readBlock(block, { file, whole, offset }), body, firstLine }
}

/** Where {@link parseFrontMatter} cuts, for those who read a block in another way. `blankLines`: they may stand above it. */
export function splitFrontMatter(
  text: string,
  file: string,
  { blankLines = false }: { readonly blankLines?: boolean } = {},
): SplitFile {
  const whole = normalizeText(text)
  const start = blankLines ? afterBlankLines(whole) : 0
  const opening = firstLineOf(whole.slice(start))
  const engine = engineOf(opening)
  const unsplit = { whole, offset: 0, body: whole, firstLine: 1 }
  if (engine === undefined) return unsplit
  if (!["", "yaml", "yml"].includes(engine.toLowerCase())) throw refusedEngine(engine, file, whole)
  const offset = start + opening.length
  const closing = findClosing(whole, offset)
  if (closing === undefined) {
    if (engine === "") return unsplit
    throw fault("expected a line --- that ends the front matter, found the end of the file.", { file, whole })
  }
  const block = whole.slice(offset + 1, closing.start)
  if (block.length > maxLength)
    throw fault(`expected front matter of at most ${maxLength} characters, found ${block.length}.`, { file, whole })
  return { whole, block, offset, body: whole.slice(closing.end), firstLine: positionAt(whole, closing.end).line }
}

function afterBlankLines(text: string): number {
  const first = text.search(/\S/)
  return first < 0 ? 0 : text.lastIndexOf("\n", first) + 1
}

/**
 * gray-matter is handed the block alone, with delimiters that nothing inside can close and with options, as it caches and
 * shares what it reads without them.
 */
function readBlock(block: string, place: { file: string; whole: string; offset: number }): Record<string, unknown> {
  const { data } = matter(`---\n${block}\n---\n`, {
    language: "yaml",
    delimiters: ["---", "---\n"],
    excerpt: false,
    engines: { yaml: (yaml: string) => readYamlMapping(yaml, place) },
  })
  return data
}

/** What stands after `---` on the first line, `""` for nothing; `undefined` when the line opens no front matter. */
function engineOf(line: string): string | undefined {
  if (!line.startsWith("---")) return undefined
  const word = line.slice(3).trim()
  return word === "" || /^[A-Za-z][\w+#.-]*$/.test(word) ? word : undefined
}

/** The next line that is `---`: where the line break before it stands, and where the body begins. */
function findClosing(text: string, from: number): { start: number; end: number } | undefined {
  for (let start = text.indexOf("\n---", from); start >= 0; start = text.indexOf("\n---", start + 4)) {
    const line = firstLineOf(text.slice(start + 1))
    if (line.slice(3).trim() === "") return { start, end: Math.min(text.length, start + line.length + 2) }
  }
  return undefined
}

function firstLineOf(text: string): string {
  const newline = text.indexOf("\n")
  return newline < 0 ? text : text.slice(0, newline)
}

function refusedEngine(engine: string, file: string, whole: string): PromptStrataError {
  return fault(`expected YAML front matter, found the engine ${JSON.stringify(engine)}; nothing of it was run.`, {
    file,
    whole,
    column: whole.indexOf(engine) + 1,
    hint: "Front matter is data only: begin it with a line that is just ---.",
  })
}

function fault(message: string, at: { file: string; whole: string; column?: number; hint?: string }): PromptStrataError {
  const { file, whole, column = 1, hint } = at
  return locatedError("front-matter", message, { file, text: whole, position: { line: 1, column }, ...(hint ? { hint } : {}) })
}
