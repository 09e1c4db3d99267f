import { readdirSync } from "node:fs"
import { join, sep } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import { priority as priorities } from "../../core/value.ts"
import { fold } from "../../prompt/encode/fold.ts"
import { partsBetween } from "../../prompt/encode/line-breaks.ts"
import { readLoreKey } from "../../prompt/layers/lorebook/lore-key.ts"
import type { LoreEntry, LoreKey, LorePosition } from "../../prompt/layers/lorebook/lorebook.ts"
import { compilePattern } from "../../prompt/layers/lorebook/pattern.ts"
import { normalizeText } from "../../prompt/template/scanner.ts"
import { type AuthoredFile, bodyText, foundValue, isOneLine, keyFault, readAuthoredFile } from "../authored-text.ts"
import { isFolder, noteFolders } from "../file-log.ts"
import { checkLength, type FrontMatter, readMapping } from "../front-matter.ts"
import { lineStarts } from "../line-starts.ts"
import { findInRoots } from "../load-prompts.ts"
import { displayPath } from "../shipped-files.ts"
import keyTable from "./world-book-keys.json" with { type: "json" }

/** Every entry is read at each start and searched in each turn. */
const maxEntries = 5_000

/** Reads a world book: a file with entries, or a folder of such files in the order of their paths. Hidden files are skipped. */
export function readWorldBook(path: string): readonly LoreEntry[] {
  const entries: LoreEntry[] = []
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
  return withOwnIds(entries)
}

/** Timed state is kept under an entry's id, so it is the entry's name, which stays while others are edited. */
function withOwnIds(entries: readonly LoreEntry[]): readonly LoreEntry[] {
  const times = new Map<string, number>()
  return entries.map((entry) => {
    const nth = (times.get(entry.id) ?? 0) + 1
    times.set(entry.id, nth)
    return nth === 1 ? entry : { ...entry, id: `${entry.id} (${nth})` }
  })
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

/**
 * Splits a file of a world book into its entries. An entry begins with front matter between two lines `---` and ends where the
 * next one begins. A horizontal rule in a text is written `***`. Mistakes throw located errors with code `front-matter`.
 */
function splitEntries(place: AuthoredFile): readonly FileEntry[] {
  const lines = place.whole.split("\n")
  const offsets = lineStarts(place.whole)
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
    checkLength(block, (message) => fail(message, line))
    return {
      attributes: readMapping(block, { ...place, offset: offsets[line] ?? 0 }),
      body: lines.slice(closing + 1, openings[nth + 1]).join("\n"),
      firstLine: closing + 2,
      line,
    }
  })
}

/** One entry of a world book as it stands in its file. */
interface FileEntry extends FrontMatter {
  /** The line of the entry's first `---`. */
  readonly line: number
}

/** The longest key, in UTF-16 units. */
const maxKeyLength = 100

const logics = { and_any: "andAny", not_all: "notAll", not_any: "notAny", and_all: "andAll" } as const

const isLogic = (value: unknown): value is keyof typeof logics => typeof value === "string" && Object.hasOwn(logics, value)

/** True for a whole number from 0 to `most`. */
const isCount =
  (most: number) =>
  (value: unknown): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most

/** The largest value of each key that is a whole number. */
const counts = keyTable.most

/** The places of an entry that are no depth of the history, as a file names them. */
const positions = keyTable.positions as Readonly<Record<string, LorePosition>>

const roles = ["system", "user", "assistant"] as const

const flags = ["always", "case_sensitive", "exclude_recursion", "group_override", "prevent_recursion"] as const

const knownKeys = [
  ...flags,
  ...Object.keys(counts),
  ...["excluded_keys", "group", "keys", "logic", "position", "priority", "role", "secondary_keys", "title"],
].sort()

/** Checks the front matter of an entry. An entry that could never be used is a mistake too. */
function worldBookEntry({ attributes, body, firstLine, line }: FileEntry, place: AuthoredFile): LoreEntry {
  const fail = (key: string, message: string) => keyFault(message, key, place, line)
  for (const key of Object.keys(attributes))
    if (!knownKeys.includes(key))
      throw fail(key, `unknown key ${JSON.stringify(key)}: an entry has ${knownKeys.join(", ")}.${didYouMean(key, knownKeys)}`)
  const read = <T>(key: string, isGood: (value: unknown) => value is T, expected: string): T | undefined => {
    const value = attributes[key]
    if (value === undefined || isGood(value)) return value
    throw fail(key, `${key}: expected ${expected}, found ${foundValue(value)}.`)
  }
  const flag = (key: (typeof flags)[number]) => read(key, (value) => typeof value === "boolean", "true or false")
  const count = (key: keyof typeof counts) => read(key, isCount(counts[key]), `a whole number from 0 to ${counts[key]}`)
  const keysIn = (key: "keys" | "secondary_keys" | "excluded_keys"): readonly LoreKey[] => {
    const value = attributes[key] ?? []
    const keys = keysOf(value)
    if (keys === undefined)
      throw fail(key, `${key}: expected a list of words of at most ${maxKeyLength} characters, found ${foundValue(value)}.`)
    for (const found of keys) {
      const compiled = typeof found === "string" ? undefined : compilePattern(found.source, found.flags)
      if (compiled !== undefined && "refused" in compiled)
        throw fail(key, `${key}: expected a pattern that can be searched for, found ${foundValue(value)}: ${compiled.refused}.`)
    }
    return keys
  }
  const title = read("title", isOneLine, "one line of text")
  const constant = flag("always")
  const priority = read("priority", (value): value is number => Number.isFinite(value), "a number") ?? priorities.default
  const group = read("group", isOneLine, "one line of text")
  const logic = logics[read("logic", isLogic, Object.keys(logics).join(", ")) ?? "and_any"]
  const keys = keysIn("keys")
  if (keys.length === 0 && constant !== true) throw fail("---", "expected keys: [word, …] or always: true, found neither.")
  const secondary = keysIn("secondary_keys")
  const position = positionOf(attributes, count("depth"), fail)
  const text = bodyText(body, { file: place.file, firstLine })
  if (text.text === "") throw fail("---", "expected the entry's text below its front matter, found none.")
  return {
    id: title?.trim() ?? nameOf(keys[0]) ?? "",
    title: title?.trim(),
    text,
    keys,
    secondary: secondary.length === 0 ? undefined : { keys: secondary, logic },
    excluded: keysIn("excluded_keys"),
    wholeWords: true,
    caseSensitive: flag("case_sensitive"),
    constant,
    order: priority,
    // A lower number stands first and is kept longest.
    priority: -priority,
    position,
    scanDepth: count("scan_depth"),
    probability: count("probability"),
    sticky: count("sticky"),
    cooldown: count("cooldown"),
    delay: count("delay"),
    groups: group === undefined ? undefined : partsBetween(group, ","),
    groupWeight: count("group_weight"),
    groupOverride: flag("group_override"),
    excludeRecursion: flag("exclude_recursion"),
    preventRecursion: flag("prevent_recursion"),
    delayUntilRecursion: count("delay_until_recursion"),
  }
}

/** The place that an entry's front matter names; undefined if it names none. */
function positionOf(
  { position: named, role = "system" }: FileEntry["attributes"],
  depth: number | undefined,
  fail: (key: string, message: string) => Error,
): LorePosition | undefined {
  const speaks = roles.find((known) => known === role)
  if (speaks === undefined) throw fail("role", `role: expected ${roles.join(", ")}, found ${foundValue(role)}.`)
  if (named !== undefined && depth !== undefined) throw fail("depth", "expected a position or a depth, found both.")
  if (named === undefined) return depth === undefined ? undefined : { at: "depth", depth, fromStart: false, role: speaks }
  const [, outlet] = typeof named === "string" ? (/^outlet (\w{1,40})$/.exec(named) ?? []) : []
  if (outlet !== undefined) return { at: "outlet", name: outlet }
  if (typeof named === "string" && Object.hasOwn(positions, named)) return positions[named]
  const known = [...Object.keys(positions), "outlet NAME"].join(", ")
  throw fail("position", `position: expected ${known}, found ${foundValue(named)}.`)
}

function nameOf(key: LoreKey | undefined): string | undefined {
  return typeof key === "object" ? `/${key.source}/${key.flags}` : key
}

/** The keys of an entry. A number, such as a year, need not be quoted. */
function keysOf(keys: unknown): readonly LoreKey[] | undefined {
  if (!Array.isArray(keys)) return undefined
  const words = keys.map((key): unknown => (typeof key === "number" ? String(key) : key))
  const isKey = (key: unknown): key is string => isOneLine(key) && key.length <= maxKeyLength && fold(key) !== ""
  return words.every(isKey) ? words.map(readLoreKey) : undefined
}
