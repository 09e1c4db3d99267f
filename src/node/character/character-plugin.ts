import { z } from "zod"
import { PromptStrataError } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import { createWorldBook } from "../../prompt/layers/character/world-book.ts"
import { toolWords } from "../../prompt/tools/tool-words.ts"
import { foundValue, isOneLine, readPlainText } from "../authored-text.ts"
import { promptsWithOwn } from "../builtin-tools.ts"
import { shippedPromptsFolder } from "../shipped-files.ts"
import { type CharacterParts, characterHook } from "./character-hook.ts"
import { type CharacterPart, type CharacterPlaces, findCharacterPart, partOfPersona } from "./character-places.ts"
import { checkTraits, readSheet } from "./read-sheet.ts"
import { readWorldBook } from "./read-world-book.ts"

export { lorebookPlugin, optionedLorebook } from "../cards/lorebook-file.ts"

const reference = z.custom<string>(isOneLine, { error: "a character's name or a file" })

const file = z.union([reference, z.literal(false)], { error: "a character's name, a file or false" })

const sheet = z.union([reference, z.literal(false), z.record(z.string(), z.unknown())], {
  error: "a character's name, a file, false, or a table of names and values",
})

const count = (least: number, most: number) => {
  const error = `a whole number from ${least} to ${most}`
  return z.int({ error }).min(least, { error }).max(most, { error })
}

/**
 * `[plugins.options.character]`. A table for `state` or `relationship` holds the traits themselves, and false means none. Every
 * other reference is the name of a character, whose files lie in `characters/LOCALE/NAME/`, or a path relative to the profile.
 * A part that is not named is the persona's own.
 */
const schema = z.strictObject({
  state: sheet.optional(),
  relationship: sheet.optional(),
  reaction_plan: file.optional(),
  world_book: file.optional(),
  world_book_entries: count(1, 100).default(8),
  world_book_characters: count(1, 100_000).default(4_000),
  world_book_messages: count(0, 100).default(4),
  world_book_recursive: z.boolean({ error: "true or false" }).default(false),
})

type CharacterOptions = z.infer<typeof schema>

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
  const { success, data, error } = schema.safeParse(given)
  if (success) return data
  const problems = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map(unknownKey)
      : [`${issue.path.join(".")}: expected ${issue.message}, found ${foundValue(given[String(issue.path[0])])}.`],
  )
  throw new PromptStrataError("plugin", problems.join("\n"))
}

function unknownKey(key: string): string {
  const known = Object.keys(schema.shape)
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
