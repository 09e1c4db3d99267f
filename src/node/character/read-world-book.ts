import { readdirSync } from "node:fs"
import { join, sep } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import { priority as priorities } from "../../core/value.ts"
import { foldKey, type WorldBookEntry } from "../../layers/character/world-book.ts"
import { normalizeText } from "../../template/scanner.ts"
import { type AuthoredFile, bodyText, foundValue, isOneLine, keyFault, readAuthoredFile } from "../authored-text.ts"
import { isFolder, noteFolders } from "../file-log.ts"
import { readYamlMapping } from "../front-matter.ts"
import { findInRoots } from "../load-prompts.ts"
import { displayPath } from "../shipped-files.ts"

/** Every entry is read at each start and searched in each turn. */
const maxEntries = 5_000

/** The longest front matter of an entry, in UTF-16 units. */
const maxFrontMatter = 16_384

/** The longest key, in UTF-16 units. */
const maxKeyLength = 100

/** Reads a world book: a file with entries, or a folder of such files in the order of their paths. Hidden files are skipped. */
export function readWorldBook(path: string): readonly WorldBookEntry[] {
  const entries: WorldBookEntry[] = []
  for (const file of isFolder(path) ? filesIn(path) : [path]) {
    const found = readAuthoredFile(file, "world book")
    const place = { ...found, whole: normalizeText(found.whole) }
    entries.push(...splitEntries(place).map((entry) => worldBookEntry(entry, place)))
    if (entries.length > maxEntries)
      throw new PromptStrataError(
        "file",
        `expected a world book of at most ${maxEntries} entries, found more in ${displayPath(path)}.`,
      )
  }
  return entries
}

function filesIn(folder: string): string[] {
  noteFolders(folder)
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
  const visible = paths.map((path) => path.split(sep)).filter((parts) => parts.every((part) => !part.startsWith(".")))
  const files = visible.map((parts) => parts.join("/")).filter((path) => path.endsWith(".md"))
  if (files.length === 0)
    throw new PromptStrataError("prompt-missing", `expected a world book, found no .md file in ${displayPath(folder)}.`)
  return files.sort().map((path) => findInRoots(path, { folder, roots: [folder] })?.path ?? join(folder, path))
}

/** One entry of a world book as it stands in its file. */
interface FileEntry {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly body: string
  /** The line of the file on which the body begins. */
  readonly firstLine: number
  /** The line of the entry's first `---`. */
  readonly line: number
}

/**
 * Splits a file of a world book into its entries. An entry begins with front matter between two lines `---` and ends where the
 * next one begins. A horizontal rule in a text is written `***`. Mistakes throw located errors with code `front-matter`.
 */
function splitEntries(place: AuthoredFile): readonly FileEntry[] {
  const lines = place.whole.split("\n")
  const offsets = offsetsOf(lines)
  const fail = (message: string, line: number, key = "---") => keyFault(message, key, place, line)
  const rules = lines.flatMap((line, at) => (line.trimEnd() === "---" ? [at] : []))
  const outside = lines.slice(0, rules[0] ?? lines.length).findIndex((line) => line.trim() !== "")
  if (outside >= 0 || rules.length === 0)
    throw fail("expected an entry, which begins with front matter between two lines ---, found none.", outside + 1, "")
  // Every other rule opens an entry. The one after it closes the entry's front matter.
  const openings = rules.filter((_, nth) => nth % 2 === 0)
  return openings.map((opening, nth) => {
    const line = opening + 1
    const closing = rules[2 * nth + 1]
    if (closing === undefined) throw fail("expected a line --- that ends the front matter of this entry, found none.", line)
    const block = lines.slice(line, closing).join("\n")
    if (block.length > maxFrontMatter)
      throw fail(`expected front matter of at most ${maxFrontMatter} characters, found ${block.length}.`, line)
    return {
      attributes: readYamlMapping(block, { ...place, offset: offsets[line] ?? 0 }),
      body: lines.slice(closing + 1, openings[nth + 1]).join("\n"),
      firstLine: closing + 2,
      line,
    }
  })
}

function offsetsOf(lines: readonly string[]): readonly number[] {
  const offsets: number[] = []
  let offset = 0
  for (const line of lines) {
    offsets.push(offset)
    offset += line.length + 1
  }
  return offsets
}

const knownKeys = ["always", "keys", "priority", "title"] as const

/** Checks the front matter of an entry. An entry that could never be used is a mistake too. */
function worldBookEntry({ attributes, body, firstLine, line }: FileEntry, place: AuthoredFile): WorldBookEntry {
  const fail = (key: string, message: string) => keyFault(message, key, place, line)
  for (const key of Object.keys(attributes))
    if (!(knownKeys as readonly string[]).includes(key))
      throw fail(key, `unknown key ${JSON.stringify(key)}: an entry has ${knownKeys.join(", ")}.${didYouMean(key, knownKeys)}`)
  const { title, keys = [], always = false, priority = priorities.default } = attributes
  if (title !== undefined && !isOneLine(title))
    throw fail("title", `title: expected one line of text, found ${foundValue(title)}.`)
  if (typeof always !== "boolean") throw fail("always", `always: expected true or false, found ${foundValue(always)}.`)
  if (typeof priority !== "number" || !Number.isFinite(priority))
    throw fail("priority", `priority: expected a number, found ${foundValue(priority)}.`)
  const words = keysOf(keys)
  if (words === undefined)
    throw fail("keys", `keys: expected a list of words of at most ${maxKeyLength} characters, found ${foundValue(keys)}.`)
  if (words.length === 0 && !always) throw fail("---", "expected keys: [word, …] or always: true, found neither.")
  const text = bodyText(body, { file: place.file, firstLine })
  if (text.text === "") throw fail("---", "expected the entry's text below its front matter, found none.")
  return { ...(title === undefined ? {} : { title: title.trim() }), keys: words, always, priority, text }
}

/** The keys of an entry. A number, such as a year, need not be quoted. */
function keysOf(keys: unknown): readonly string[] | undefined {
  if (!Array.isArray(keys)) return undefined
  const words = keys.map((key): unknown => (typeof key === "number" ? String(key) : key))
  return words.every((key): key is string => isOneLine(key) && key.length <= maxKeyLength && foldKey(key).text !== "")
    ? words
    : undefined
}
