import { readdirSync } from "node:fs"
import { basename, dirname, extname, join, resolve } from "node:path"
import { attempt } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import { fallbackLocales } from "../prompt/dialect/locales.ts"
import { fileExists } from "./file-log.ts"
import { displaySearched, shippedPromptsFolder } from "./shipped-files.ts"

/** The kinds of text that a profile names, each a folder inside a prompts folder. */
export type TextKind = "characters" | "formats" | "final" | "skills"

/** The folders in which a text is looked up. */
export interface TextPlaces {
  readonly kind: TextKind
  readonly locale: string
  /** The folder that paths are relative to: that of the file which names the text. */
  readonly folder: string
  /** Folders with the layout of the shipped `prompts/`, searched in order. The shipped one is always searched last. */
  readonly promptFolders: readonly string[]
}

/** The file; or, when there is none, the paths that were tried, for a message, and the names that exist. */
export type FoundText = { readonly path: string } | { readonly searched: readonly string[]; readonly known: readonly string[] }

const extensions = [".md", ".txt"]

/**
 * Finds the file of a persona or another whole text (L3, L9). A reference with a slash or an extension is a path, looked up in
 * `folder` and then in each prompts folder. Any other is a name: `KIND/LOCALE/NAME.md`, then `KIND/NAME.md` in each prompts
 * folder, then the same for `en` and `zh-CN`. `.txt` counts like `.md`.
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
    known: knownTexts(places),
  }
}

/** The prompts folder of a profile's file. It lies beside the folder `profiles` if the file is in one, else beside the file. */
export function promptsFolderOf(profilePath: string): string {
  const folder = dirname(profilePath)
  return basename(folder) === "profiles" ? join(dirname(folder), "prompts") : join(folder, "prompts")
}

/** True for a path, false for a name. A path has a slash or the extension of a text. */
export function isTextPath(reference: string): boolean {
  return /[\\/]/.test(reference) || extensions.includes(extname(reference))
}

/** All files that a path can mean: in `folder`, then in each prompts folder. */
export function textPathsOf(path: string, { folder, promptFolders }: Pick<TextPlaces, "folder" | "promptFolders">): string[] {
  return [...new Set([folder, ...promptFolders, shippedPromptsFolder].map((place) => resolve(place, path)))]
}

/** All folders in which a name is looked up, in order: of the locale, of no locale, of the fallback locales. */
export function textFolders({ kind, locale, promptFolders }: Omit<TextPlaces, "folder">): string[] {
  const kindFolders = [...new Set([...promptFolders, shippedPromptsFolder])].map((folder) => join(folder, kind))
  const own = kindFolders.flatMap((folder) => [join(folder, locale), folder])
  return [...new Set([...own, ...fallbackLocales.flatMap((other) => kindFolders.map((folder) => join(folder, other)))])]
}

function knownTexts(places: TextPlaces): string[] {
  return entryNames(textFolders(places), (file) =>
    extensions.includes(extname(file)) ? basename(file, extname(file)) : undefined,
  )
}

/** The names that the entries of some folders stand for, each once and sorted, for suggestions. */
export function entryNames(folders: readonly string[], nameOf: (entry: string, folder: string) => string | undefined): string[] {
  const names = folders.flatMap((folder) => fileNames(folder).flatMap((entry) => nameOf(entry, folder) ?? []))
  return [...new Set(names)].sort()
}

/** The names in a folder. None when the folder is missing or not readable. */
export function fileNames(folder: string): string[] {
  return attempt(() => readdirSync(folder), [])
}

/** The message and the hint of an error about a name or path that leads to nothing. `what` completes "expected …". */
export function notFound(
  what: string,
  reference: string,
  { searched, known, names }: { readonly searched: readonly string[]; readonly known: readonly string[]; readonly names: string },
): { readonly message: string; readonly hint: string } {
  return {
    message: `expected ${what}, found none called ${JSON.stringify(reference)}.${didYouMean(reference, known)}`,
    hint: `${lookedFor(searched)}\nKnown ${names}: ${known.join(", ") || "none"}.`,
  }
}

/** The paths that were searched, one per line, for an error message. */
export function lookedFor(searched: readonly string[]): string {
  return ["Looked for:", ...searched.map((path) => `  ${path}`)].join("\n")
}
