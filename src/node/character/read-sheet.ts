import type { CharacterSheet, CharacterTrait } from "../../layers/character/character-sheet.ts"
import { isSameName } from "../../layers/character/character-sheet.ts"
import { normalizeText } from "../../template/normalize.ts"
import { parseFrontMatter } from "../front-matter.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { bodyText, keyFault, maxCharacterBytes } from "./authored-file.ts"
import { traitFault } from "./check-traits.ts"

/** Reads a state or relationship: traits in the front matter, a note below it. */
export function readSheet(path: string, kind: string): CharacterSheet {
  const file = displayPath(path)
  const text = readTextFile(path, file, { maxBytes: maxCharacterBytes, kind })
  const { attributes, body, firstLine } = parseFrontMatter(text, file)
  const place = { file, whole: normalizeText(text) }
  const traits = Object.entries(attributes).map(([name, value]): CharacterTrait => {
    const message = traitFault(name, value)
    if (message !== undefined) throw keyFault(message, name, place)
    return [name, String(value).trim()]
  })
  const twice = traits.find(([name], at) => traits.slice(0, at).some(([other]) => isSameName(name, other)))
  if (twice) throw keyFault(`${twice[0]}: expected every name once, found two spellings of one.`, twice[0], place)
  const note = bodyText(body, { file, firstLine })
  return { traits, ...(note.text === "" ? {} : { note }) }
}
