import { isDeepStrictEqual } from "node:util"
import { attempt, messageOf } from "../../core/errors.ts"
import { locatedError } from "../../core/evidence/located-error.ts"
import { isRecord, type Json, recordOf } from "../../core/json-access.ts"
import { checkLength, readMapping } from "../front-matter.ts"
import { badFile } from "../read-text-file.ts"

/** The file that holds what the other files of an imported card do not. */
export const partsFile = "card.parts.json"

/** Fields of a card that have a file of their own. */
export const textFields: readonly string[] = [
  ...["description", "personality", "scenario", "first_mes", "mes_example"],
  ...["system_prompt", "post_history_instructions", "creator_notes"],
]

/** Lists of texts that have a folder with a file for each text. */
export const listFields: readonly string[] = ["alternate_greetings", "group_only_greetings"]

/** The folder of the lorebook's entries, a file each. */
export const loreFolder = "lore"

/** Files by their paths in the card's folder. */
export type PartFiles = ReadonlyMap<string, string>

/**
 * Parts a card's JSON into files that a person edits: a Markdown file for each text, one for each greeting and lore entry, and
 * `card.parts.json` with all else, which says in each place what file stands there. `jsonOfParts` gives back an equal JSON, whatever
 * the card holds: what would not come back from a text file stays in JSON (C2).
 */
export function partsOfJson(json: Json): PartFiles {
  const files = new Map<string, string>()
  const isNested = isRecord(json.data)
  const data = isNested ? recordOf(json.data) : json
  const parted = mapFields(data, (name, value) => partOf(name, value, files))
  // Programs write the texts a second time at the top, for readers of V1.
  const twin = (name: string, value: unknown): unknown => {
    if (name === "data") return parted
    if (!textFields.includes(name)) return value
    return value === data[name] && files.has(`${name}.md`) ? noteOf(`${name}.md`) : held(value)
  }
  const rest = isNested ? mapFields(json, twin) : parted
  files.set(partsFile, `${JSON.stringify(rest, undefined, 2)}\n`)
  return files
}

/** The value that stands in `card.parts.json`. Adds the files that hold the rest of it. */
function partOf(name: string, value: unknown, files: Map<string, string>): unknown {
  if (textFields.includes(name)) {
    if (typeof value !== "string" || value === "" || !isPlain(value)) return held(value)
    files.set(`${name}.md`, `${value}\n`)
    return noteOf(`${name}.md`)
  }
  if (listFields.includes(name) && Array.isArray(value) && value.length > 0)
    return parted(name, { value, files, write: (item) => (isPlain(item) ? { ending: "md", text: `${item}\n` } : undefined) })
  if (name === "character_book" && isRecord(value) && Array.isArray(value.entries) && value.entries.length > 0) {
    const { entries } = value as { readonly entries: readonly unknown[] }
    const note = parted(loreFolder, { value: entries, files, write: fileOfEntry, title: titleOf })
    return { ...value, entries: note }
  }
  if (name === "character_book" && isRecord(value) && Object.hasOwn(value, "entries"))
    return { ...value, entries: held(value.entries) }
  return listFields.includes(name) ? held(value) : value
}

interface PartedList {
  readonly value: readonly unknown[]
  readonly files: Map<string, string>
  /** The file of an item; undefined for one that has to be a JSON file. */
  write(item: unknown): { readonly ending: string; readonly text: string } | undefined
  title?(item: unknown): string
}

/** Writes a file for each item. Numbers in front keep their order, and make names that no system refuses. */
function parted(folder: string, { value, files, write, title = () => "" }: PartedList): string {
  const digits = Math.max(3, String(value.length).length)
  for (const [at, item] of value.entries()) {
    const { ending, text } = write(item) ?? { ending: "json", text: `${JSON.stringify(item, undefined, 2)}\n` }
    const name = [String(at + 1).padStart(digits, "0"), fileName(title(item))].filter((part) => part !== "").join("-")
    files.set(`${folder}/${name}.${ending}`, text)
  }
  return noteOf(`${folder}/`)
}

function fileOfEntry(entry: unknown): { readonly ending: string; readonly text: string } | undefined {
  if (!isRecord(entry)) return undefined
  const text = fileOfLore(entry)
  // Front matter has bounds that JSON does not have, and then it throws.
  const isSame = attempt(() => isDeepStrictEqual(loreOfFile(text, "lore"), JSON.parse(JSON.stringify(entry))), false)
  return isSame ? { ending: "md", text } : undefined
}

function titleOf(entry: unknown): string {
  const { name, comment, keys } = recordOf(entry)
  const first: unknown = Array.isArray(keys) ? keys[0] : undefined
  return [name, comment, first].find((text): text is string => typeof text === "string" && fileName(text) !== "") ?? ""
}

/** Letters and digits of a title, for a file's name; the rest becomes `-`. */
function fileName(title: string): string {
  const words = title
    .slice(0, 200)
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
  return Array.from(words).slice(0, 40).join("").replace(/^-|-$/g, "")
}

/** True for a text that comes back from a file of UTF-8 as it was. */
function isPlain(text: unknown): text is string {
  return typeof text === "string" && text.isWellFormed() && !/^\uFEFF|\0|\r$/.test(text)
}

function noteOf(file: string): string {
  return `→ ${file}`
}

/** A value that stays in `card.parts.json`. Another arrow marks one that looks like a note and is none. */
function held(value: unknown): unknown {
  return typeof value === "string" && value.startsWith("→") ? `→${value}` : value
}

/** The JSON of a card from its parts. A file goes before what `card.parts.json` says. A note without its file is a field that was taken out. */
export function jsonOfParts(main: Json, files: PartFiles, shownAs: (file: string) => string): Json {
  const isNested = isRecord(main.data)
  const data = whole(isNested ? recordOf(main.data) : main, files, shownAs)
  if (!isNested) return data
  return mapFields(main, (name, value) => {
    if (name === "data") return data
    if (!textFields.includes(name)) return value
    return value === noteOf(`${name}.md`) ? textIn(files, `${name}.md`) : released(value)
  })
}

function whole(data: Json, files: PartFiles, shownAs: (file: string) => string): Json {
  const book = isRecord(data.character_book) ? data.character_book : undefined
  const lists = new Map(listFields.map((name) => [name, itemsIn(name, files, shownAs)]))
  const entries = itemsIn(loreFolder, files, shownAs)
  const fieldOf = (name: string, value: unknown): unknown => {
    if (textFields.includes(name)) return valueAt(value, `${name}.md`, textIn(files, `${name}.md`))
    const items = lists.get(name)
    if (listFields.includes(name)) return listAt(value, `${name}/`, items)
    if (name !== "character_book" || !isRecord(value)) return value
    return mapFields(value, (inner, given) => (inner === "entries" ? listAt(given, `${loreFolder}/`, entries) : given))
  }
  const added = [...textFields, ...listFields].filter((name) => !Object.hasOwn(data, name))
  const found = Object.fromEntries(added.map((name) => [name, textIn(files, `${name}.md`) ?? lists.get(name)]))
  const newBook =
    entries === undefined || (book !== undefined && Object.hasOwn(book, "entries"))
      ? {}
      : { character_book: { extensions: {}, ...book, entries } }
  return mapFields({ ...mapFields(data, fieldOf), ...found, ...newBook }, (_, value) => value)
}

/** The file's value, else what stands in `card.parts.json`; undefined where that is a note. */
function valueAt(value: unknown, file: string, found: unknown): unknown {
  if (found !== undefined) return found
  return value === noteOf(file) ? undefined : released(value)
}

/** The same for a list; one whose files were all taken away is empty. */
function listAt(value: unknown, folder: string, found: unknown): unknown {
  const list = valueAt(value, folder, found)
  return list === undefined ? [] : list
}

function released(value: unknown): unknown {
  return typeof value === "string" && value.startsWith("→→") ? value.slice(1) : value
}

/** A file's text without the line break at its end, which editors want. */
function textIn(files: PartFiles, file: string): string | undefined {
  return files.get(file)?.replace(/\r?\n$/, "")
}

/** The items of a list from the files in its folder, by name; numbers in names count as numbers. */
function itemsIn(folder: string, files: PartFiles, shownAs: (file: string) => string): readonly unknown[] | undefined {
  const names = [...files.keys()].filter((name) => name.startsWith(`${folder}/`))
  if (names.length === 0) return undefined
  return sortNames(names).map((name): unknown => {
    const text = files.get(name) ?? ""
    if (name.endsWith(".json")) return parseJsonFile(text, shownAs(name))
    return folder === loreFolder ? loreOfFile(text, shownAs(name)) : textIn(files, name)
  })
}

/** Sorts the names of the files of a list. Numbers in them count as numbers. */
export function sortNames(names: readonly string[]): readonly string[] {
  return names.toSorted(new Intl.Collator("en", { numeric: true }).compare)
}

/** Reads a file's JSON. `what` names it in the message of an error. */
export function parseJsonFile(text: string, file: string, what = "JSON"): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw badFile(file, `expected ${what}, but ${messageOf(cause)}.`, cause)
  }
}

/** The record with other values; a field whose value becomes undefined is left out. */
function mapFields(record: Json, change: (name: string, value: unknown) => unknown): Json {
  const fields = Object.entries(record).map(([name, value]) => [name, change(name, value)] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** A lore entry of a card as Markdown: its text, under front matter with all other fields. */
export function fileOfLore(entry: Readonly<Record<string, unknown>>): string {
  const { content } = entry
  const hasBody = typeof content === "string" && content !== "" && content.isWellFormed() && !content.endsWith("\r")
  const fields = Object.entries(entry).filter(([name]) => name !== "content" || !hasBody)
  return `---\n${fields.map(([name, value]) => yamlOf(name, value)).join("")}---\n${hasBody ? `${content}\n` : ""}`
}

/** A field on a line of its own; the fields of an object stand below it. JSON is YAML, so it holds whatever has no simpler form. */
function yamlOf(name: string, value: unknown): string {
  const fields = isRecord(value) ? Object.entries(value) : []
  if (fields.length === 0) return `${scalarOf(name)}: ${scalarOf(value)}\n`
  return `${scalarOf(name)}:\n${fields.map(([inner, item]) => `  ${scalarOf(inner)}: ${scalarOf(item)}\n`).join("")}`
}

function scalarOf(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.map((item) => (typeof item === "string" ? wordOf(item) : JSON.stringify(item))).join(", ")}]`
  return typeof value === "string" ? wordOf(value) : JSON.stringify(value)
}

/** Words that YAML reads as themselves need no quotes. */
function wordOf(text: string): string {
  const isBare =
    /^[\p{L}][\p{L}\p{M}\p{N} _-]*$/u.test(text) && !text.endsWith(" ") && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
  return isBare ? text : JSON.stringify(text)
}

/** Reads a lore entry from its Markdown. A text under the front matter goes before a field `content`. Throws `front-matter` with the place. */
export function loreOfFile(text: string, file: string): Readonly<Record<string, unknown>> {
  const fail = (message: string) => locatedError("front-matter", message, { file, text, position: { line: 1, column: 1 } })
  const opening = /^---[ \t]*\r?\n/.exec(text)?.[0]
  if (opening === undefined)
    throw fail("expected a lore entry, which begins with front matter between two lines ---, found none.")
  const closing = /^---[ \t]*(?:\r?\n|$)/m
  const rest = text.slice(opening.length)
  const end = closing.exec(rest)
  if (end === null) throw fail("expected a line --- that ends the front matter of this entry, found none.")
  const block = rest.slice(0, end.index)
  checkLength(block, fail)
  const fields = readMapping(block, { file, whole: text, offset: opening.length })
  const content = rest.slice(end.index + end[0].length).replace(/\r?\n$/, "")
  return content === "" ? fields : { ...fields, content }
}
