import type { CharacterSheet } from "../../layers/character/character-sheet.ts"
import { normalizeText } from "../../template/scanner.ts"
import { parseFrontMatter } from "../front-matter.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { bodyText, keyFault, maxCharacterBytes } from "./authored-file.ts"
import { checkTraits } from "./check-traits.ts"

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
