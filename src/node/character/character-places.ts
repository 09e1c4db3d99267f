import { existsSync } from "node:fs"
import { basename, dirname, extname, join } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import { fileExists } from "../file-log.ts"
import { entryNames, isTextPath, notFound, type TextPlaces, textFolders, textPathsOf } from "../find-text.ts"
import { displaySearched } from "../shipped-files.ts"

/** The files about a character beside its persona, by name. */
export const characterParts = ["state", "relationship", "reaction_plan", "world_book"] as const

/** One of a character's files. A world book may also be a folder. */
export type CharacterPart = (typeof characterParts)[number]

/** The folders in which a character's files are looked up. */
export interface CharacterPlaces extends Omit<TextPlaces, "kind"> {
  /** The file of the agent's persona. */
  readonly persona?: string | undefined
}

/**
 * Finds the file that a reference means. A path is looked up in the profile's folder and then in the prompts folders. The name of a
 * character stands for its files in `characters/LOCALE/NAME/` or `characters/NAME/`. A world book may be a folder. Throws
 * `prompt-missing` when nothing is found.
 */
export function findCharacterPart(reference: string, part: CharacterPart, places: CharacterPlaces): string {
  const candidates = isTextPath(reference)
    ? textPathsOf(reference, places)
    : characterFolders(places).flatMap((folder) => filesOf(join(folder, reference), part))
  const found = candidates.find((path) => fileExists(path))
  if (found !== undefined) return found
  const hasPart = (folder: string) => filesOf(folder, part).some((path) => existsSync(path))
  const known = entryNames(characterFolders(places), (name, folder) => (hasPart(join(folder, name)) ? name : undefined))
  const searched = candidates.map(displaySearched)
  const { message, hint } = notFound("a file", reference, { searched, known, names: "names" })
  throw new PromptStrataError("prompt-missing", `${part}: ${message}`, { hint, evidence: { searched: candidates, known } })
}

/**
 * Finds the file that belongs to the persona of the agent: in the folder of its name beside it, and for a persona among
 * `characters` in the folders of that name, as {@link findCharacterPart}. Undefined if it has none.
 */
export function partOfPersona(part: CharacterPart, places: CharacterPlaces): string | undefined {
  const { persona } = places
  if (persona === undefined) return undefined
  const [folder, name] = [dirname(persona), basename(persona, extname(persona))]
  const isNamed = [folder, dirname(folder)].some((place) => basename(place) === "characters")
  const folders = [folder, ...(isNamed ? characterFolders(places) : [])]
  return folders.flatMap((place) => filesOf(join(place, name), part)).find((path) => fileExists(path))
}

function filesOf(folder: string, part: CharacterPart): string[] {
  const file = join(folder, `${part}.md`)
  return part === "world_book" ? [file, join(folder, part)] : [file]
}

function characterFolders(places: CharacterPlaces): readonly string[] {
  return textFolders({ kind: "characters", ...places })
}
