import { hasLineBreak } from "../../prompt/encode/line-breaks.ts"
import {
  type CharacterSheet,
  type CharacterTrait,
  isSameName,
  traitLimits,
} from "../../prompt/layers/character/character-sheet.ts"
import { bodyText, foundValue, keyFault, readAuthoredFile } from "../authored-text.ts"
import { parseFrontMatter } from "../front-matter.ts"

/** The longest value that an author may write, in UTF-16 units. */
const maxValueLength = 500

/** Reads a state or a relationship: traits in the front matter, a note below it. `kind` names the file in messages. */
export function readSheet(path: string, kind: string): CharacterSheet {
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
export type CheckedTraits = { readonly traits: readonly CharacterTrait[] } | { readonly name: string; readonly message: string }

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
