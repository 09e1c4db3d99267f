import { readdirSync } from "node:fs"
import { basename, dirname, extname, join, resolve } from "node:path"
import { fileExists } from "./file-log.ts"
import { displaySearched, shippedPromptsFolder } from "./shipped-files.ts"

/** The kinds of text that a profile names, each a folder inside a prompts folder. */
export type TextKind = "characters" | "formats" | "final"

/** Where a named text is looked up. */
export interface TextPlaces {
  readonly kind: TextKind
  readonly locale: string
  /** What paths are relative to: the folder of the file that names the text. */
  readonly folder: string
  /** Folders laid out as the shipped `prompts/`, the first that has the text wins; the shipped one comes last by itself. */
  readonly promptFolders: readonly string[]
}

/** The file, or where it was looked for, as people read it, and the names there are instead. */
export type FoundText = { readonly path: string } | { readonly searched: readonly string[]; readonly known: readonly string[] }

const extensions = [".md", ".txt"]

/** Locales that stand in for one without a file of its own. */
const fallbackLocales = ["en", "zh-CN"]

/**
 * Finds a persona or another whole text (L3, L9). With a slash or an ending it is a path, looked up in `folder` and then in each
 * prompts folder. Else it is a name: `KIND/LOCALE/NAME.md`, then `KIND/NAME.md` in each prompts folder, then the same in `en` and
 * `zh-CN`; `.txt` counts like `.md`.
 */
export function findText(reference: string, places: TextPlaces): FoundText {
  const bases = isTextPath(reference)
    ? textPathsOf(reference, places)
    : textFolders(places).map((folder) => join(folder, reference))
  const endings = isTextPath(reference) ? [""] : extensions
  const path = bases.flatMap((base) => endings.map((ending) => base + ending)).find((candidate) => fileExists(candidate))
  if (path !== undefined) return { path }
  return {
    searched: bases.map((base) => displaySearched(base + (isTextPath(reference) ? "" : ".{md,txt}"))),
    known: knownNames(places),
  }
}

/** The prompts folder that belongs to a profile's file: beside a folder `profiles`, else beside the file. */
export function promptsFolderOf(profilePath: string): string {
  const folder = dirname(profilePath)
  return basename(folder) === "profiles" ? join(dirname(folder), "prompts") : join(folder, "prompts")
}

/** True for a path, as opposed to a name: it has a slash or the ending of a text. */
export function isTextPath(reference: string): boolean {
  return /[\\/]/.test(reference) || extensions.includes(extname(reference))
}

/** Every file that a path can mean: beside the file that names it, then in each prompts folder. */
export function textPathsOf(
  reference: string,
  { folder, promptFolders }: Pick<TextPlaces, "folder" | "promptFolders">,
): string[] {
  return unique([folder, ...promptFolders, shippedPromptsFolder].map((place) => resolve(place, reference)))
}

/** Every folder in which a name can stand, the nearest first: of the locale, of no locale, of the fallbacks. */
export function textFolders({ kind, locale, promptFolders }: Omit<TextPlaces, "folder">): string[] {
  const kindFolders = unique([...promptFolders, shippedPromptsFolder]).map((folder) => join(folder, kind))
  const own = kindFolders.flatMap((folder) => [join(folder, locale), folder])
  return unique([...own, ...fallbackLocales.flatMap((other) => kindFolders.map((folder) => join(folder, other)))])
}

function knownNames(places: TextPlaces): string[] {
  const files = textFolders(places).flatMap(filesIn)
  return unique(files.filter((file) => extensions.includes(extname(file))).map((file) => basename(file, extname(file)))).sort()
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // A folder that is not there, or not ours to read, has no names to suggest.
    return []
  }
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)]
}

/** Where something was looked for, a line each. */
export function lookedFor(searched: readonly string[]): string {
  return ["Looked for:", ...searched.map((path) => `  ${path}`)].join("\n")
}
