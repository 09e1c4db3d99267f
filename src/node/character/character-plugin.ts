import { PromptStrataError } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import { hasLineBreak } from "../../prompt/encode/line-breaks.ts"
import {
  type CharacterSheet,
  type CharacterTrait,
  isSameName,
  traitLimits,
} from "../../prompt/layers/character/character-sheet.ts"
import { createWorldBook } from "../../prompt/layers/character/world-book.ts"
import { toolWords } from "../../prompt/tools/tool-words.ts"
import { bodyText, foundValue, isOneLine, keyFault, readAuthoredFile, readPlainText } from "../authored-text.ts"
import { promptsWithOwn } from "../builtin-tools.ts"
import { parseFrontMatter } from "../front-matter.ts"
import { shippedPromptsFolder } from "../shipped-files.ts"
import { type CharacterParts, characterHook } from "./character-hook.ts"
import { type CharacterPart, type CharacterPlaces, findCharacterPart, partOfPersona } from "./character-places.ts"
import { readWorldBook } from "./read-world-book.ts"

export { lorebookPlugin, optionedLorebook } from "../cards/lorebook-file.ts"

const aFile = "a character's name, a file or false"
const aSheet = "a character's name, a file, false, or a table of names and values"

const isFile = (value: unknown) => value === false || isOneLine(value)
const isSheet = (value: unknown) => isFile(value) || (isRecord(value) && !(value instanceof Date))

/** A check of an option, and the words for what it takes. */
type OptionCheck = readonly [fits: (value: unknown) => boolean, expected: string]

const count = (least: number, most: number): OptionCheck => [
  (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  `a whole number from ${least} to ${most}`,
]

/** A default for each option that has one. */
const defaults = { world_book_entries: 8, world_book_characters: 4_000, world_book_messages: 4, world_book_recursive: false }

/**
 * `[plugins.options.character]`. A table for `state` or `relationship` holds the traits themselves, and false means none. Every
 * other reference is the name of a character, whose files lie in `characters/LOCALE/NAME/`, or a path relative to the profile.
 * A part that is not named is the persona's own.
 */
interface CharacterOptions extends Readonly<typeof defaults> {
  readonly state?: string | false | Readonly<Record<string, unknown>>
  readonly relationship?: string | false | Readonly<Record<string, unknown>>
  readonly reaction_plan?: string | false
  readonly world_book?: string | false
}

const checks: { readonly [Name in keyof Required<CharacterOptions>]: OptionCheck } = {
  state: [isSheet, aSheet],
  relationship: [isSheet, aSheet],
  reaction_plan: [isFile, aFile],
  world_book: [isFile, aFile],
  world_book_entries: count(1, 100),
  world_book_characters: count(1, 100_000),
  world_book_messages: count(0, 100),
  world_book_recursive: [(value) => typeof value === "boolean", "true or false"],
}

/**
 * The plugin `character` puts a character's state, its relationship with each speaker, a world book and a reaction plan into the
 * prompt, under the recommended keys and priorities (S2), and adds tools by which the model changes the first two. All files are
 * read at once. Throws for options, files and entries that cannot be used.
 */
export function characterPlugin(given: Readonly<Record<string, unknown>>, places: CharacterPlaces): Plugin {
  const options = checkedOptions(given)
  const hook = characterHook({
    state: sheetOf("state", options, places),
    relationship: sheetOf("relationship", options, places),
    reactionPlan: reactionPlanOf(options, places),
    worldBook: worldBookOf(options, places),
    words: wordsIn(places),
  })
  return { name: "character", hooks: [hook] }
}

function checkedOptions(given: Readonly<Record<string, unknown>>): CharacterOptions {
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const wrong = Object.entries(checks).flatMap(([name, [fits, expected]]) =>
    options[name] === undefined || fits(options[name])
      ? []
      : [`${name}: expected ${expected}, found ${foundValue(options[name])}.`],
  )
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(checks, name))
  const problems = [...wrong, ...unknown.map(unknownKey)]
  if (problems.length > 0) throw new PromptStrataError("plugin", problems.join("\n"))
  return { ...defaults, ...options }
}

function unknownKey(key: string): string {
  const known = Object.keys(checks)
  return `unknown option ${JSON.stringify(key)} of the plugin "character".${didYouMean(key, known) || ` Known: ${known.join(", ")}.`}`
}

function sheetOf(part: "state" | "relationship", { [part]: given }: CharacterOptions, places: CharacterPlaces) {
  if (typeof given !== "object") {
    const path = pathOf(given, part, places)
    return path === undefined ? undefined : readSheet(path, part)
  }
  const checked = checkTraits(given)
  if ("message" in checked) throw new PromptStrataError("plugin", `${part}: ${checked.message}`)
  return checked
}

/** The file that an option names; without the option the persona's own, if it has one. */
function pathOf(given: string | false | undefined, part: CharacterPart, places: CharacterPlaces): string | undefined {
  if (given === false) return undefined
  return given === undefined ? partOfPersona(part, places) : findCharacterPart(given, part, places)
}

function reactionPlanOf({ reaction_plan: plan }: CharacterOptions, places: CharacterPlaces): CharacterParts["reactionPlan"] {
  const path = pathOf(plan, "reaction_plan", places)
  return path === undefined ? undefined : readPlainText(path, "reaction plan")
}

function worldBookOf(options: CharacterOptions, places: CharacterPlaces): CharacterParts["worldBook"] {
  const { world_book: given, world_book_entries: maxEntries, world_book_characters: maxCharacters } = options
  const path = pathOf(given, "world_book", places)
  if (path === undefined) return undefined
  const { world_book_messages: messages, world_book_recursive: recursive } = options
  const entries = readWorldBook(path)
  const placed = entries.find(({ position }) => position !== undefined)
  if (placed !== undefined)
    throw new PromptStrataError(
      "front-matter",
      "expected no position and no depth: all entries of a world book share one place.",
      {
        source: placed.text.source,
        hint: "Name the file under files in [lorebook] of the profile, which gives each entry its place.",
      },
    )
  return {
    book: createWorldBook({ entries, scanDepth: messages + 1, recursive }),
    maxEntries,
    maxCharacters,
  }
}

/** The words of the tools: the shipped ones, which are compiled in. The other folders may replace them; the first has priority. */
function wordsIn({ locale, promptFolders }: CharacterPlaces): CharacterParts["words"] {
  const own = promptFolders.filter((folder) => folder !== shippedPromptsFolder)
  const prompts = promptsWithOwn(locale, ...own.toReversed())
  return {
    update_state: toolWords(prompts, locale, "update_state"),
    update_relationship: toolWords(prompts, locale, "update_relationship"),
  }
}

/** The longest value that an author may write, in UTF-16 units. */
const maxValueLength = 500

/** Reads a state or a relationship: traits in the front matter, a note below it. `kind` names the file in messages. */
function readSheet(path: string, kind: string): CharacterSheet {
  const place = readAuthoredFile(path, kind)
  const { file } = place
  const { attributes, body, firstLine } = parseFrontMatter(place.whole, file)
  const checked = checkTraits(attributes)
  if ("message" in checked) throw keyFault(checked.message, checked.name, place)
  const note = bodyText(body, { file, firstLine })
  const source = { file, line: checked.traits.length > 0 ? 2 : 1 }
  return { ...checked, source, ...(note.text === "" ? {} : { note }) }
}

/** The checked traits, or the fault of the first wrong one. */
type CheckedTraits = { readonly traits: readonly CharacterTrait[] } | { readonly name: string; readonly message: string }

/**
 * Checks the traits that an author wrote. A name is one line and occurs once. A value is one line of text, a number or a flag;
 * the last two become text.
 */
export function checkTraits(given: Readonly<Record<string, unknown>>): CheckedTraits {
  const traits: CharacterTrait[] = []
  for (const [name, value] of Object.entries(given)) {
    const message = nameFault(name, traits) ?? valueFault(name, value)
    if (message !== undefined) return { name, message }
    traits.push([name.trim(), String(value).trim()])
  }
  return { traits }
}

function nameFault(name: string, before: readonly CharacterTrait[]): string | undefined {
  const shown = JSON.stringify(name.slice(0, 60))
  if (name.trim() === "" || hasLineBreak(name) || name.length > traitLimits.nameLength)
    return `expected a name of one line and at most ${traitLimits.nameLength} characters, found ${shown}.`
  const same = before.find(([other]) => isSameName(name, other))
  return same && `expected every name once, found ${JSON.stringify(same[0])} and ${shown}, which are read as the same name.`
}

function valueFault(name: string, value: unknown): string | undefined {
  if (typeof value === "boolean" || typeof value === "number") return undefined
  const text = typeof value === "string" ? value.trim() : ""
  if (text !== "" && !hasLineBreak(text) && text.length <= maxValueLength) return undefined
  return `${name}: expected one line of text of at most ${maxValueLength} characters, found ${foundValue(value)}.`
}
