import { readdirSync } from "node:fs"
import { join, sep } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import { priority as priorities } from "../../core/priority.ts"
import { didYouMean } from "../../core/suggest.ts"
import { hasLineBreak } from "../../encode/line-breaks.ts"
import { foldKey } from "../../layers/character/key-match.ts"
import type { WorldBookEntry } from "../../layers/character/world-book.ts"
import { normalizeText } from "../../template/normalize.ts"
import { type AuthoredFile, bodyText, keyFault, maxCharacterBytes } from "../authored-text.ts"
import { isFolder, noteFolders } from "../file-log.ts"
import { findInRoots } from "../prompt-roots.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { readYamlMapping } from "../yaml-data.ts"

/** More would be read at each start and looked through in each turn. */
const maxEntries = 5_000

/** Reads a world book: a file with entries, or a folder of such files in the order of their paths. Hidden files are passed over. */
export function readWorldBook(path: string): readonly WorldBookEntry[] {
  const entries: WorldBookEntry[] = []
  for (const file of isFolder(path) ? filesIn(path) : [path]) {
    entries.push(...entriesIn(file))
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
  const shown = paths.map((path) => path.split(sep)).filter((parts) => parts.every((part) => !part.startsWith(".")))
  const files = shown.map((parts) => parts.join("/")).filter((path) => path.endsWith(".md"))
  if (files.length === 0)
    throw new PromptStrataError("prompt-missing", `expected a world book, found no .md file in ${displayPath(folder)}.`)
  return files.sort().map((path) => findInRoots(path, { folder, roots: [folder] })?.path ?? join(folder, path))
}

function entriesIn(path: string): WorldBookEntry[] {
  const file = displayPath(path)
  const whole = normalizeText(readTextFile(path, file, { maxBytes: maxCharacterBytes, kind: "world book" }))
  return splitEntries({ file, whole }).map((entry) => worldBookEntry(entry, { file, whole }))
}

/** The longest front matter of an entry, in UTF-16 units. */
const maxFrontMatter = 16_384

/** One entry of a world book as it stands in its file. */
interface FileEntry {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly body: string
  /** The file's line on which the body begins. */
  readonly firstLine: number
  /** The line of the entry's first `---`. */
  readonly line: number
}

/**
 * Parts a file of a world book into its entries: each begins with front matter between two lines `---` and ends where the next
 * one begins. A rule across a text is written `***`. Mistakes throw located errors with code `front-matter`.
 */
function splitEntries({ file, whole }: AuthoredFile): readonly FileEntry[] {
  const lines = whole.split("\n")
  const starts = offsetsOf(lines)
  const rules = lines.flatMap((line, at) => (line.trimEnd() === "---" ? [at] : []))
  const outside = lines.slice(0, rules[0] ?? lines.length).findIndex((line) => line.trim() !== "")
  if (outside >= 0 || rules.length === 0)
    throw keyFault("expected an entry, which begins with front matter between two lines ---, found none.", "", {
      file,
      whole,
      fromLine: outside + 1,
    })
  return openingsOf(rules).map(({ opening, closing, end }) => {
    const line = opening + 1
    if (closing === undefined)
      throw keyFault("expected a line --- that ends the front matter of this entry, found none.", "---", {
        file,
        whole,
        fromLine: line,
      })
    const block = lines.slice(opening + 1, closing).join("\n")
    if (block.length > maxFrontMatter)
      throw keyFault(`expected front matter of at most ${maxFrontMatter} characters, found ${block.length}.`, "---", {
        file,
        whole,
        fromLine: line,
      })
    return {
      attributes: readYamlMapping(block, { file, whole, offset: starts[opening + 1] ?? 0 }),
      body: lines.slice(closing + 1, end).join("\n"),
      firstLine: closing + 2,
      line,
    }
  })
}

/** Every other rule opens an entry, the one after it closes the entry's front matter; `end` is where the next one opens. */
function openingsOf(rules: readonly number[]) {
  return rules.flatMap((opening, nth) => (nth % 2 === 0 ? [{ opening, closing: rules[nth + 1], end: rules[nth + 2] }] : []))
}

function offsetsOf(lines: readonly string[]): number[] {
  let offset = 0
  return lines.map((line) => {
    const start = offset
    offset += line.length + 1
    return start
  })
}

const known = ["always", "keys", "priority", "title"] as const

/** The longest key, in UTF-16 units. */
const maxKeyLength = 100

/** An entry with its front matter checked. An entry that nothing could ever call is a mistake too. */
function worldBookEntry({ attributes, body, firstLine, line }: FileEntry, { file, whole }: AuthoredFile): WorldBookEntry {
  const fail = (key: string, message: string) => keyFault(message, key, { file, whole, fromLine: line })
  for (const key of Object.keys(attributes))
    if (!(known as readonly string[]).includes(key))
      throw fail(key, `unknown key ${JSON.stringify(key)}: an entry has ${known.join(", ")}.${didYouMean(key, known)}`)
  const { title, keys = [], always = false, priority = priorities.default } = attributes
  if (title !== undefined && !isLine(title)) throw fail("title", `title: expected one line of text, found ${shown(title)}.`)
  if (typeof always !== "boolean") throw fail("always", `always: expected true or false, found ${shown(always)}.`)
  if (typeof priority !== "number" || !Number.isFinite(priority))
    throw fail("priority", `priority: expected a number, found ${shown(priority)}.`)
  const list = keysOf(keys)
  if (list === undefined)
    throw fail("keys", `keys: expected a list of words of at most ${maxKeyLength} characters, found ${shown(keys)}.`)
  if (list.length === 0 && !always) throw fail("---", "expected keys: [word, …] or always: true, found neither.")
  const text = bodyText(body, { file, firstLine })
  if (text.text === "") throw fail("---", "expected the entry's text below its front matter, found none.")
  return { ...(isLine(title) ? { title: title.trim() } : {}), keys: list, always, priority, text }
}

/** Years and the like may stand without quotation marks. */
function keysOf(keys: unknown): readonly string[] | undefined {
  if (!Array.isArray(keys)) return undefined
  const words = keys.map((key) => (typeof key === "number" ? String(key) : (key as unknown)))
  return words.every((key): key is string => isLine(key) && key.length <= maxKeyLength && foldKey(key).text !== "")
    ? words
    : undefined
}

function isLine(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !hasLineBreak(value)
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80)
}
