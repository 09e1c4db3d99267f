import { hasLineBreak } from "../../encode/line-breaks.ts"
import { traitLimits } from "../../layers/character/change-traits.ts"
import { type CharacterSheet, type CharacterTrait, isSameName } from "../../layers/character/character-sheet.ts"
import { normalizeText } from "../../template/normalize.ts"
import { bodyText, keyFault, maxCharacterBytes } from "../authored-text.ts"
import { parseFrontMatter } from "../front-matter.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"

/** Reads a state or a relationship: traits in the front matter, a note below it. `kind` names it in messages. */
export function readSheet(path: string, kind: string): CharacterSheet {
  const file = displayPath(path)
  const text = readTextFile(path, file, { maxBytes: maxCharacterBytes, kind })
  const { attributes, body, firstLine } = parseFrontMatter(text, file)
  const checked = checkTraits(attributes)
  if ("message" in checked) throw keyFault(checked.message, checked.name, { file, whole: normalizeText(text) })
  const note = bodyText(body, { file, firstLine })
  const source = { file, line: checked.traits.length > 0 ? 2 : 1 }
  return { ...checked, source, ...(note.text === "" ? {} : { note }) }
}

/** The longest value an author may write, in UTF-16 units. */
const maxValueLength = 500

/** Traits as an author wrote them, or what is wrong with the one of that name. */
type CheckedTraits = { readonly traits: readonly CharacterTrait[] } | { readonly name: string; readonly message: string }

/** Checks traits: names of one line, each once; values of one line, where numbers and flags become text. */
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
  return same && `expected every name once, found ${JSON.stringify(same[0])} and ${shown}, which read alike.`
}

function valueFault(name: string, value: unknown): string | undefined {
  if (typeof value === "boolean" || typeof value === "number") return undefined
  const text = typeof value === "string" ? value.trim() : ""
  if (text !== "" && !hasLineBreak(text) && text.length <= maxValueLength) return undefined
  const found = (JSON.stringify(value) ?? "nothing").slice(0, 80)
  return `${name}: expected one line of text of at most ${maxValueLength} characters, found ${found}.`
}
