import { createRequire } from "node:module"
import type { Document } from "yaml"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { ErrorEvidence } from "../core/evidence/error-evidence.ts"
import { locatedError } from "../core/evidence/located-error.ts"
import { isRecord } from "../core/json-access.ts"
import { positionAt } from "../core/source.ts"
import { normalizeText } from "../prompt/template/scanner.ts"

/** The longest front matter that is read, in UTF-16 units: parts of the YAML reader take quadratic time. */
const maxLength = 16_384

/** A file's front matter and the rest of it. */
export interface FrontMatter {
  /** Plain data; `{}` if there is no front matter. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** The text after the closing line; the whole text if there is no front matter. Line breaks are `\n`, a byte order mark is gone. */
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
  // A fault that has no place of its own is told at the opening line.
  const attributes = block === undefined ? {} : (readPlain(block) ?? readBlock(block, { file, whole, offset }))
  return { attributes, body, firstLine }
}

/** A file cut at its front matter, which is not parsed. */
interface SplitFile extends Pick<FrontMatter, "body" | "firstLine"> {
  /** The whole file with `\n` for every line break. */
  readonly whole: string
  /** The YAML between the two lines `---`; absent if there is none. */
  readonly block?: string | undefined
  /** The offset in `whole` of the line break before the block. */
  readonly offset: number
}

/** Cuts a file as {@link parseFrontMatter} does and leaves the block unread. With `blankLines`, blank lines may stand above it. */
export function splitFrontMatter(text: string, file: string, { blankLines = false }: { blankLines?: boolean } = {}): SplitFile {
  const whole = normalizeText(text)
  const start = blankLines ? whole.lastIndexOf("\n", whole.search(/\S/)) + 1 : 0
  const opening = firstLineOf(whole.slice(start))
  const engine = engineOf(opening)
  const unsplit = { whole, offset: 0, body: whole, firstLine: 1 }
  if (engine === undefined) return unsplit
  const refuse = (message: string, column = 1, advice: { readonly hint?: string } = {}) =>
    locatedError("front-matter", message, { file, text: whole, position: { line: 1, column }, ...advice })
  if (!["", "yaml", "yml"].includes(engine.toLowerCase())) {
    const message = `expected YAML front matter, found the engine ${JSON.stringify(engine)}; nothing of it was run.`
    const hint = "Front matter is data only: begin it with a line that is just ---."
    throw refuse(message, whole.indexOf(engine) + 1, { hint })
  }
  const offset = start + opening.length
  const closing = findClosing(whole, offset)
  if (closing === undefined) {
    if (engine === "") return unsplit
    throw refuse("expected a line --- that ends the front matter, found the end of the file.")
  }
  const block = whole.slice(offset + 1, closing.start)
  checkLength(block, (message) => refuse(message))
  return { whole, block, offset, body: whole.slice(closing.end), firstLine: positionAt(whole, closing.end).line }
}

/** Throws what `refuse` makes of a message if a block of front matter is too long. */
export function checkLength(block: string, refuse: (message: string) => PromptStrataError): void {
  if (block.length > maxLength) throw refuse(`expected front matter of at most ${maxLength} characters, found ${block.length}.`)
}

function firstLineOf(text: string): string {
  const newline = text.indexOf("\n")
  return newline < 0 ? text : text.slice(0, newline)
}

/** The word after `---` on the first line, `""` if there is none; `undefined` if the line opens no front matter. */
function engineOf(line: string): string | undefined {
  if (!line.startsWith("---")) return undefined
  const word = line.slice(3).trim()
  return word === "" || /^[A-Za-z][\w+#.-]*$/.test(word) ? word : undefined
}

/** The next line that is `---`: the offset of the line break before it, and the offset at which the body begins. */
function findClosing(text: string, from: number): { start: number; end: number } | undefined {
  for (let start = text.indexOf("\n---", from); start >= 0; start = text.indexOf("\n---", start + 4)) {
    const line = firstLineOf(text.slice(start + 1))
    if (line.slice(3).trim() === "") return { start, end: Math.min(text.length, start + line.length + 2) }
  }
  return undefined
}

/** The place of a piece of YAML in its file. */
export interface YamlPlace {
  readonly file: string
  /** The text of the whole file. */
  readonly whole: string
  /** The UTF-16 offset in it at which the YAML begins. */
  readonly offset: number
}

/** The most aliases of one anchor, counted as they multiply: more is an alias bomb. */
const maxAliasCount = 100

/** A key with a value, or with a table on the next lines. Two spaces stand before a key of such a table. */
const plainLine = /^( {2})?([A-Za-z\u4e00-\u9fff][\w\u4e00-\u9fff-]{0,99}(?: [\w-]{1,99}){0,9}):(?: (.{1,1000}))?$/u
/** Values that YAML reads in one way, but for {@link otherValues}. */
const plainValues = {
  words: /^[A-Za-z\u4e00-\u9fff](?: {0,9}(?:[^:#\p{C}\p{Z}]|:(?=[^\p{C}\p{Z}]))){0,500}$/u,
  fraction: /^\d{1,9}\/\d{1,9}$/,
  number: /^(?:0|[1-9]\d{0,8})$/,
  quoted: /^(?:'(?:[^'\p{C}]|''){0,500}'|"[^"\\\p{C}]{0,500}")$/u,
  list: /^\[[A-Za-z\u4e00-\u9fff](?:,? ?[\w\u4e00-\u9fff-]){0,500}\]$/u,
}
const otherValues = /^(?:true|false|null)$/i

/** {@link readYamlMapping}, without loading the package for keys with plain values. */
export function readMapping(yaml: string, place: YamlPlace): Record<string, unknown> {
  return readPlain(yaml) ?? readYamlMapping(yaml, place)
}

/** Reads keys with plain values, as most files have them, as YAML does. Undefined for any other YAML. */
function readPlain(block: string): Record<string, unknown> | undefined {
  const found: Record<string, unknown> = {}
  let table: Record<string, unknown> | undefined
  for (const line of block.split("\n")) {
    const [, indent, key = "", written] = plainLine.exec(line) ?? []
    const into = indent === undefined ? found : table
    if (key === "" || into === undefined || Object.hasOwn(into, key)) return undefined
    if (into === found) table = written === undefined ? {} : undefined
    const value = written === undefined && into === found ? table : plainValue(written ?? "")
    if (value === undefined) return undefined
    into[key] = value
  }
  // Without a line below it, a key has the value null.
  return Object.values(found).some((value) => isRecord(value) && Object.keys(value).length === 0) ? undefined : found
}

function plainValue(written: string): string | number | boolean | readonly string[] | undefined {
  if (/^(?:true|false)$/.test(written)) return written === "true"
  if (otherValues.test(written)) return undefined
  if (plainValues.words.test(written) || plainValues.fraction.test(written)) return written
  if (plainValues.number.test(written)) return Number(written)
  if (plainValues.quoted.test(written)) return written.slice(1, -1).replaceAll("''", written.startsWith("'") ? "'" : "''")
  const words = plainValues.list.test(written) ? written.slice(1, -1).split(/, ?/) : [""]
  return words.every((word) => plainValues.words.test(word) && !otherValues.test(word)) ? words : undefined
}

/** Loads packages when YAML is first read that is not plain: they take longer to load than a profile. */
const require = createRequire(import.meta.url)

/**
 * gray-matter chooses the engine, of which there is one. It does not split: it ends a block at any line that begins with three dashes,
 * and drops a blank line at the beginning of the body. So it gets the block alone, between delimiters that nothing inside can close.
 * It gets options, as without them it caches and shares what it has read.
 */
function readBlock(block: string, place: YamlPlace): Record<string, unknown> {
  const matter = require("gray-matter") as typeof import("gray-matter")
  const { data } = matter(`---\n${block}\n---\n`, {
    language: "yaml",
    delimiters: ["---", "---\n"],
    excerpt: false,
    engines: { yaml: (yaml: string) => readYamlMapping(yaml, place) },
  })
  return data
}

/** Reads a YAML 1.2 mapping as plain data: string keys, none twice, no tags, bounded aliases. Anything else throws `front-matter`. */
export function readYamlMapping(yaml: string, place: YamlPlace): Record<string, unknown> {
  const { isMap, parseDocument } = require("yaml") as typeof import("yaml")
  try {
    const document = parseDocument(yaml, {
      version: "1.2",
      schema: "core",
      resolveKnownTags: false,
      stringKeys: true,
      prettyErrors: false,
      logLevel: "error",
    })
    const [error] = document.errors
    if (error) {
      const evidence = { kind: error.code === "DUPLICATE_KEY" ? ("duplicate-key" as const) : undefined }
      throw yamlFault(place, `expected YAML: ${error.message}`, { offset: error.pos[0], cause: error, evidence })
    }
    if (document.contents === null) return {}
    const data: unknown = document.toJS({ maxAliasCount })
    if (!isMap(document.contents) || typeof data !== "object" || data === null)
      throw yamlFault(place, "expected the front matter to be a mapping (name: value), found something else.", {
        offset: document.contents.range?.[0] ?? 0,
        hint: "If the first line is a thematic break and no front matter, put a blank line before it.",
      })
    refuseProto(document, place)
    if (hasCycle(data)) throw yamlFault(place, "expected plain data, found an alias inside its own anchor.", { offset: 0 })
    return data as Record<string, unknown>
  } catch (error) {
    if (PromptStrataError.isInstance(error)) throw error
    throw yamlFault(place, `expected YAML: ${messageOf(error)}`, { offset: 0, cause: error })
  }
}

/** Refuses the key `__proto__`. It does no harm here, but sets a prototype in code that copies the data. */
function refuseProto(document: Document.Parsed, place: YamlPlace): void {
  const { isScalar, visit } = require("yaml") as typeof import("yaml")
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value === "__proto__")
        throw yamlFault(place, "the key __proto__ is not allowed.", { offset: key.range?.[0] ?? 0 })
    },
  })
}

function hasCycle(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== "object" || value === null) return false
  return above.includes(value) || Object.values(value).some((inner) => hasCycle(inner, [...above, value]))
}

function yamlFault(
  { file, whole, offset: start }: YamlPlace,
  message: string,
  { offset, ...details }: { offset: number; hint?: string; cause?: unknown; evidence?: ErrorEvidence["front-matter"] },
): PromptStrataError {
  const position = positionAt(whole, start + offset)
  return locatedError("front-matter", message, { file, text: whole, position, ...details })
}
