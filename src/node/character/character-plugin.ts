import { PromptStrataError } from "../../core/errors.ts"
import type { Text } from "../../core/value.ts"
import type { CharacterSheet } from "../../layers/character/character-sheet.ts"
import { createWorldBook } from "../../layers/character/world-book.ts"
import type { Plugin } from "../../services/plugin.ts"
import { toolWords } from "../../tools/tool-words.ts"
import { promptsWithOwn } from "../builtin-tools.ts"
import { readWholeText } from "../read-whole-text.ts"
import { shippedPromptsFolder } from "../shipped-files.ts"
import { type CharacterParts, characterHook } from "./character-hook.ts"
import { type CharacterOptions, characterOptions } from "./character-options.ts"
import { type CharacterPlaces, findCharacterPart } from "./character-places.ts"
import { checkTraits } from "./check-traits.ts"
import { readSheet } from "./read-sheet.ts"
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
