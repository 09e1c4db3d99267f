import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { PromptStrataError } from "../../../core/errors.ts"
import { isFolder } from "../../../node/file-log.ts"
import { promptLocale } from "../../../node/locale.ts"
import { shippedTemplatesFolder } from "../../../node/shipped-files.ts"

/** The languages of the character templates. */
export const characterLocales = ["en", "zh-CN"] as const

/** One of {@link characterLocales}. */
export type CharacterLocale = (typeof characterLocales)[number]

/** The settings of a new character. */
export interface CharacterPlan {
  readonly folder: string
  readonly name: string
  /** The name of its files. Default: {@link characterId} of its name. */
  readonly id?: string
  readonly locale: CharacterLocale
  /** The promptstrata in the project's package.json: a range of versions, or the `file:` of a clone. */
  readonly dependency: string
}

/** npm leaves `.gitignore` out of a package, so the template has another name. */
const renamed: Readonly<Record<string, string>> = { gitignore: ".gitignore" }

/**
 * The texts of the new project's files, by path in its folder: those of the folders of templates, by default of a character of one's own.
 * Of two files of one path, that of the later folder counts.
 */
export function characterFiles(
  { folder, name, id = characterId(name, folder), locale, dependency }: CharacterPlan,
  templates: readonly string[] = ["character/common", `character/${locale}`],
): Map<string, string> {
  const words: Readonly<Record<string, string>> = {
    __NAME__: name,
    __ID__: id,
    __PACKAGE__: slug(basename(resolve(folder))) || "character",
    __LOCALE__: locale,
    __DEPENDENCY__: dependency,
  }
  const filled = (text: string) => text.replace(/__[A-Z]+__/g, (word) => words[word] ?? word)
  const files = new Map<string, string>()
  for (const root of templates.map((template) => join(shippedTemplatesFolder, template))) {
    for (const path of filesBelow(root)) {
      files.set(filled(renamed[path] ?? path), filled(readFileSync(join(root, path), "utf8")))
    }
  }
  return files
}

/** The name of a character's files: its name or its folder, whichever is ASCII, else its name in its own letters. */
export function characterId(name: string, folder: string): string {
  const id = slug(name) || slug(basename(resolve(folder))) || wordsOf(name).join("-") || "character"
  // Windows has devices of these names, whatever the file's ending.
  return /^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(id) ? `${id}-character` : id
}

/**
 * The clone of promptstrata that runs, as a project in `folder` names it: a registry need not have the package. Undefined for an
 * installed package, which came from one.
 */
export function cloneAsDependency(folder: string): string | undefined {
  if (shippedTemplatesFolder.split(sep).includes("node_modules")) return undefined
  // A path of npm has slashes on every system.
  return `file:${relative(resolve(folder), dirname(shippedTemplatesFolder)).replaceAll(sep, "/")}`
}

/** Throws `usage` if there is a file instead of the folder, or one of these files in it. */
export function requireNew(folder: string, paths: readonly string[]): void {
  if (existsSync(folder) && !isFolder(folder))
    throw new PromptStrataError("usage", `expected a folder, found a file at ${folder}.`, { hint: "Choose another folder." })
  const taken = paths.filter((path) => existsSync(join(folder, path)))
  if (taken.length === 0) return
  const named = [...taken.slice(0, 3), ...(taken.length > 3 ? [`${taken.length - 3} more`] : [])].join(", ")
  throw new PromptStrataError("usage", `expected a folder without the files of a character, found ${named} in ${folder}.`, {
    hint: "Nothing was written. Choose another folder, or move these files.",
  })
}

/** Writes files and creates their folders. Throws for a file that exists, which stays as it is, unless `force` is set. */
export function writeNewFiles(folder: string, files: ReadonlyMap<string, string | Uint8Array>, force = false): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    if (force) replaceFile(join(folder, path), text)
    else writeFileSync(join(folder, path), text, { flag: "wx" })
  }
}

/** Deletes files that the new ones would be read with. */
export function removeFiles(paths: readonly string[]): void {
  for (const path of paths) rmSync(path)
}

/** Replaces a file in one step. Whoever reads it meanwhile gets the old one or the new one. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const next = `${path}.${process.pid}.new`
  writeFileSync(next, content, { flag: "wx" })
  renameSync(next, path)
}

/** The language that `--locale` names. Throws `usage` for one without templates. */
export function readLocale(locale: string | undefined): CharacterLocale | undefined {
  if (locale === undefined) return undefined
  const chosen = promptLocale({ option: locale, env: {} })
  const found = characterLocales.find((known) => known === chosen)
  if (found) return found
  const expected = `expected one of ${characterLocales.join(", ")} as the character's language`
  throw new PromptStrataError("usage", `${expected}, found ${JSON.stringify(locale)}.`)
}

function slug(text: string): string {
  // A name in another script has no ASCII letters to use.
  if (/[^\x20-\x7e]/.test(text)) return ""
  return wordsOf(text).join("-").slice(0, 60)
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  )
}

/** The files in a folder and in those below it, by their paths in it with slashes, sorted. */
export function filesBelow(root: string): string[] {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll(sep, "/")).sort()
}
