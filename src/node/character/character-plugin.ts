import { z } from "zod"
import { PromptStrataError } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { Text } from "../../core/value.ts"
import { hasLineBreak } from "../../encode/line-breaks.ts"
import type { CharacterSheet } from "../../layers/character/character-sheet.ts"
import { createWorldBook } from "../../layers/character/world-book.ts"
import type { Plugin } from "../../services/plugin.ts"
import { toolWords } from "../../tools/tool-words.ts"
import { readWholeText } from "../authored-text.ts"
import { promptsWithOwn } from "../builtin-tools.ts"
import { shippedPromptsFolder } from "../shipped-files.ts"
import { type CharacterParts, characterHook } from "./character-hook.ts"
import { type CharacterPlaces, findCharacterPart } from "./character-places.ts"
import { checkTraits, readSheet } from "./read-sheet.ts"
import { readWorldBook } from "./read-world-book.ts"

/**
 * The plugin `character`: a character's state, its relationship with each speaker, a world book and a reaction plan, in the prompt
 * under the recommended keys and priorities (S2), with tools by which the model changes the first two. Every file is read at once;
 * throws for options, files and entries that cannot be used.
 */
export function characterPlugin(given: Readonly<Record<string, unknown>>, places: CharacterPlaces): Plugin {
  const options = characterOptions(given)
  const { state, relationship, reaction_plan: plan } = options
  const worldBook = worldBookOf(options, places)
  const hook = characterHook({
    ...(state === undefined ? {} : { state: sheetOf("state", state, places) }),
    ...(relationship === undefined ? {} : { relationship: sheetOf("relationship", relationship, places) }),
    ...(plan === undefined ? {} : { reactionPlan: reactionPlan(plan, places) }),
    ...(worldBook === undefined ? {} : { worldBook }),
    words: wordsIn(places),
  })
  return { name: "character", hooks: [hook] }
}

function sheetOf(
  part: "state" | "relationship",
  given: string | Readonly<Record<string, unknown>>,
  places: CharacterPlaces,
): CharacterSheet {
  if (typeof given === "string") return readSheet(findCharacterPart(given, part, places), part)
  const checked = checkTraits(given)
  if ("message" in checked) throw new PromptStrataError("plugin", `${part}: ${checked.message}`)
  return checked
}

function reactionPlan(reference: string, places: CharacterPlaces): Text {
  return readWholeText(findCharacterPart(reference, "reaction_plan", places), { kind: "reaction plan", attributes: [] }).text
}

function worldBookOf(options: CharacterOptions, places: CharacterPlaces): CharacterParts["worldBook"] {
  const { world_book: reference, world_book_entries: maxEntries, world_book_characters: maxCharacters } = options
  if (reference === undefined) return undefined
  const entries = readWorldBook(findCharacterPart(reference, "world_book", places))
  return { book: createWorldBook(entries), maxEntries, maxCharacters, messages: options.world_book_messages }
}

/** The shipped words are compiled in; of the other folders the first has the last word. */
function wordsIn({ locale, promptFolders }: CharacterPlaces): CharacterParts["words"] {
  const own = promptFolders.filter((folder) => folder !== shippedPromptsFolder)
  const prompts = promptsWithOwn(...own.toReversed())
  return {
    update_state: toolWords(prompts, locale, "update_state"),
    update_relationship: toolWords(prompts, locale, "update_relationship"),
  }
}

const isReference = (value: unknown): value is string => typeof value === "string" && value.trim() !== "" && !hasLineBreak(value)

const reference = z.custom<string>(isReference, { error: "a character's name or a file" })

const sheet = z.union([reference, z.record(z.string(), z.unknown())], {
  error: "a character's name, a file, or a table of names and values",
})

const count = (least: number, most: number) => {
  const error = `a whole number from ${least} to ${most}`
  return z.int({ error }).min(least, { error }).max(most, { error })
}

const schema = z.strictObject({
  state: sheet.optional(),
  relationship: sheet.optional(),
  reaction_plan: reference.optional(),
  world_book: reference.optional(),
  world_book_entries: count(1, 100).default(8),
  world_book_characters: count(1, 100_000).default(4_000),
  world_book_messages: count(0, 100).default(4),
})

/**
 * `[plugins.options.character]`, checked. Of `state` and `relationship` a table is the traits themselves; everything else is the
 * name of a character, whose files lie in `characters/LOCALE/NAME/`, or a path relative to the profile.
 */
type CharacterOptions = z.infer<typeof schema>

/** Checks the options. Throws `plugin` with all that is wrong with them. */
function characterOptions(given: Readonly<Record<string, unknown>>): CharacterOptions {
  const { success, data, error } = schema.safeParse(given)
  if (success) return data
  const problems = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map(unknownKey)
      : [`${issue.path.join(".")}: expected ${issue.message}, found ${shown(given[String(issue.path[0])])}.`],
  )
  throw new PromptStrataError("plugin", problems.join("\n"))
}

function unknownKey(key: string): string {
  const known = Object.keys(schema.shape)
  return `unknown option ${JSON.stringify(key)} of the plugin "character".${didYouMean(key, known) || ` Known: ${known.join(", ")}.`}`
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80)
}
