import { isRecord, recordOf } from "../../../core/json-access.ts"
import { partsBetween } from "../../encode/line-breaks.ts"
import { readLoreKey } from "../lorebook/lore-key.ts"
import type { Lorebook, LoreEntry, LoreKey, LorePosition, SecondaryLogic } from "../lorebook/lorebook.ts"
import { type Decorators, readDecorators } from "./decorators.ts"
import { createFieldReader, type FieldReader } from "./field-reader.ts"
import { knownBook } from "./foreign-books.ts"

interface BookPlace {
  /** The book's name in warnings, such as `character_book`. */
  readonly path: string
  readonly warnings: string[]
}

/** Settings of an entry that SillyTavern heeds and this library does not: other texts that are searched, kinds of requests, and an embedding. */
const unheeded = [
  ...["vectorized", "triggers", "match_persona_description", "match_character_description", "match_character_personality"],
  ...["match_character_depth_prompt", "match_scenario", "match_creator_notes"],
]

/** The most entries of a book that are read. */
const maxEntries = 10_000

/**
 * Reads a lorebook: of a card, one of its own (`lorebook_v3`), or SillyTavern's world file, whose entries are an object. Numbers in text
 * and missing lists get stated defaults with a warning (C3).
 */
export function readBook(json: unknown, { path, warnings }: BookPlace): Lorebook {
  const outer = recordOf(json)
  const book = outer.spec === "lorebook_v3" && isRecord(outer.data) ? outer.data : knownBook(outer)
  const read = createFieldReader(book, warnings, `${path}.`)
  const isWorldFile = isRecord(book.entries)
  const given: readonly unknown[] = isWorldFile
    ? Object.values(recordOf(book.entries))
    : Array.isArray(book.entries)
      ? book.entries
      : []
  if (!isWorldFile && !Array.isArray(book.entries))
    warnings.push(`${path}.entries: expected a list of entries, found none; the book is empty.`)
  if (given.length > maxEntries)
    warnings.push(`${path}.entries: expected at most ${maxEntries} entries, found ${given.length}; the others are left out.`)
  for (const name of unheeded) {
    const settingOf = (item: unknown) => (isWorldFile ? recordOf(item)[camel(name)] : recordOf(recordOf(item).extensions)[name])
    const count = given.map(settingOf).filter((value) => value === true || (Array.isArray(value) && value.length > 0)).length
    if (count > 0) warnings.push(`${path}.entries: ${name} is kept and does nothing here; ${count} of them have it.`)
  }
  const ids = new Set<string>()
  const entries = given.slice(0, maxEntries).map((item, at): LoreEntry => {
    const place = `${path}.entries[${at}].`
    if (!isRecord(item)) warnings.push(`${place.slice(0, -1)}: expected an entry, found none.`)
    const fields = recordOf(item)
    const entry = readEntry(fields, { path: place, warnings, isWorldFile })
    let id = entry.id === "" ? `${at}` : entry.id
    while (ids.has(id)) id += "'"
    ids.add(id)
    return { ...entry, id }
  })
  return {
    entries,
    lastFirst: true,
    scanDepth: read.number("scan_depth"),
    recursive: read.flag("recursive_scanning"),
    tokenBudget: read.number("token_budget"),
  }
}

interface EntryPlace extends BookPlace {
  readonly isWorldFile: boolean
}

/**
 * Reads an entry of a card's book, or of SillyTavern's world file, which has names of its own. What SillyTavern adds to the first stands in
 * `extensions` (C17).
 */
function readEntry(fields: Readonly<Record<string, unknown>>, { path, warnings, isWorldFile }: EntryPlace): LoreEntry {
  const read = createFieldReader(fields, warnings, path)
  const added = isWorldFile ? fields : recordOf(fields.extensions)
  const more = createFieldReader(added, warnings, isWorldFile ? path : `${path}extensions.`, isWorldFile ? camel : undefined)
  const own = more.number("position")
  // SillyTavern writes `use_regex` into every entry and heeds it in none; that it wrote one is seen from its number of the position.
  const usesRegex = own === undefined && !isWorldFile && read.flag("use_regex") === true
  const isAfter = !isWorldFile && read.text("position") === "after_char"
  const { content, decorators } = readDecorators(read.text("content"))
  const flags = usesRegex ? (read.flag("case_sensitive") === true ? "" : "i") : undefined
  const keys = (name: string) => read.texts(name).map((key) => keyOf(key, flags))
  const isSelective = read.flag("selective") ?? isWorldFile
  const secondary = isSelective ? keys(isWorldFile ? "keysecondary" : "secondary_keys") : []
  const id = isWorldFile ? fields.uid : fields.id
  const filtered = createFieldReader(recordOf(fields.characterFilter), warnings, `${path}characterFilter.`)
  return {
    ...timing(more, added[isWorldFile ? "delayUntilRecursion" : "delay_until_recursion"]),
    ...decorated(decorators, { flags, keys: keys(isWorldFile ? "key" : "keys") }),
    id: id === undefined || id === null ? "" : String(id).slice(0, 100),
    title: (read.text("name") || read.text("comment")).trim() || undefined,
    text: { text: content, trust: "tool" },
    secondary:
      secondary.length === 0 ? undefined : { keys: secondary, logic: logics[more.number("selectiveLogic") ?? 0] ?? "andAny" },
    caseSensitive: read.flag("case_sensitive") ?? more.flag("case_sensitive"),
    wholeWords: more.flag("match_whole_words"),
    disabled: isWorldFile ? read.flag("disable") : read.flag("enabled") === false,
    constant: read.flag("constant"),
    scanDepth: decorators.scanDepth ?? more.number("scan_depth"),
    order: read.number(isWorldFile ? "order" : "insertion_order") ?? 100,
    priority: read.number("priority"),
    position: decorators.position ?? (own === undefined && isAfter ? { at: "afterCharacter" } : worldPosition(own ?? 0, more)),
    probability: more.flag("useProbability") === false ? undefined : more.number("probability"),
    character: isRecord(fields.characterFilter)
      ? { names: filtered.texts("names"), tags: filtered.texts("tags"), exclude: filtered.flag("isExclude") === true }
      : undefined,
  }
}

/** The fields about groups, recursion and time, which stand in `extensions` under names with underscores. */
function timing(read: FieldReader, delayed: unknown): Partial<LoreEntry> {
  return {
    sticky: read.number("sticky"),
    cooldown: read.number("cooldown"),
    delay: read.number("delay"),
    groups: namesIn(read.text("group")),
    groupWeight: read.number("group_weight"),
    groupOverride: read.flag("group_override"),
    groupScoring: read.flag("use_group_scoring"),
    ignoreBudget: read.flag("ignore_budget"),
    excludeRecursion: read.flag("exclude_recursion"),
    preventRecursion: read.flag("prevent_recursion"),
    delayUntilRecursion: typeof delayed === "number" ? delayed : delayed === true ? 1 : undefined,
  }
}

interface KeyParts {
  readonly keys: readonly LoreKey[]
  /** The flags of patterns; absent for an entry without `use_regex`. */
  readonly flags?: string | undefined
}

/** Adds what decorators say to the entry's keys (C16). With `use_regex`, more keys are other ways to enter, and excluded ones have no effect. */
function decorated({ conditions, dropFirst, additionalKeys, excludedKeys }: Decorators, { keys, flags }: KeyParts) {
  const more = additionalKeys.map((list) => list.map((key) => keyOf(key, flags)))
  return {
    keys: flags === undefined ? keys : [...keys, ...more.flat()],
    required: flags !== undefined || more.length === 0 ? undefined : more,
    excluded: flags !== undefined || excludedKeys.length === 0 ? undefined : excludedKeys.map(readLoreKey),
    conditions,
    dropFirst,
  }
}

/** A key without characters that have a meaning in patterns is found faster as plain words. */
function keyOf(key: string, flags: string | undefined): LoreKey {
  const read = readLoreKey(key)
  if (typeof read !== "string" || flags === undefined) return read
  return /^[^\\^$.*+?()[\]{}|]*$/.test(key) ? key : { source: key, flags }
}

const logics: readonly SecondaryLogic[] = ["andAny", "notAll", "notAny", "andAll"]

const places: readonly LorePosition[] = [
  { at: "beforeCharacter" },
  { at: "afterCharacter" },
  { at: "noteTop" },
  { at: "noteBottom" },
]

/** SillyTavern's number of a position. */
function worldPosition(number: number, read: FieldReader): LorePosition {
  if (number === 4) {
    const role = (["system", "user", "assistant"] as const)[read.number("role") ?? 0] ?? "system"
    return { at: "depth", depth: Math.max(0, read.number("depth") ?? 4), fromStart: false, role }
  }
  if (number === 5) return { at: "beforeExamples" }
  if (number === 6) return { at: "afterExamples" }
  if (number === 7) return { at: "outlet", name: read.text("outletName") || read.text("outlet_name") }
  return places[number] ?? { at: "beforeCharacter" }
}

function namesIn(text: string): readonly string[] | undefined {
  const names = partsBetween(text, ",")
  return names.length === 0 ? undefined : names
}

/** `group_weight` → `groupWeight` */
function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
