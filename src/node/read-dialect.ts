import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { PromptStrataError } from "../core/errors.ts"
import { defaultDialect } from "../profile/profile-keys.ts"
import { compileDialect, type DialectSource } from "../prompt/dialect/compile-dialect.ts"
import type { Dialect } from "../prompt/dialect/dialect.ts"
import { chooseLocale, isLocale } from "../prompt/dialect/locales.ts"
import { dialectFiles } from "../prompt/dialect/prompt-library.ts"
import { type PromptSource, promptKinds } from "../prompt/dialect/prompt-source.ts"
import { shipped, shippedDialect, shippedDialectNames } from "../prompt/dialect/shipped.ts"
import { readFolder } from "../prompt/dialect/shipped-files.ts"
import { overlayDialect, overlayLoader } from "../prompt/dialect/source-loader.ts"
import type { TemplateLoader } from "../prompt/template/parse.ts"
import { foldersIn, isEditing, isFolder, noteText } from "./file-log.ts"
import { fileLoader, loadPrompts, parsePrompt } from "./load-prompts.ts"
import { displayPath, shippedPromptsFolder } from "./shipped-files.ts"

/** The files of a shipped dialect, not compiled. To change some, use `overlayDialect`, then `compileDialect`. */
export function shippedDialectFiles(name: string, locale: string): Required<DialectSource> {
  return dialectFiles({ ...shipped, read: readFolder }, name, locale)
}

/** The dialect to load. */
export interface DialectChoice {
  readonly name: string
  readonly locale: string
  /** The user's prompts folder, laid out as the shipped `prompts/`. */
  readonly folder?: string | undefined
}

/**
 * Compiles a dialect: the shipped one of that name, in which the user's files in `FOLDER/shared/LOCALE` and `FOLDER/NAME/LOCALE`
 * replace those of the same name. The folder can also bring a dialect of its own. `undefined` if there is no dialect of that name.
 */
export function readDialect({ name, locale, folder }: DialectChoice): Dialect | undefined {
  if (!knownDialects(folder).includes(name)) return undefined
  if (folder !== undefined) return compileDialect(overlaid(name, locale, folder))
  return isEditing() ? compileDialect(asEdited(shippedDialectFiles(name, locale))) : shippedDialect(name, locale)
}

/** A shipped dialect with the texts that the load at hand has in place of its own. */
function asEdited(source: Required<DialectSource>): Required<DialectSource> {
  if (!isEditing()) return source
  const edited = (path: string): PromptSource | undefined => {
    const text = noteText(join(shippedPromptsFolder, path), "prompt")
    return text === undefined ? undefined : parsePrompt(text, path)
  }
  return {
    ...source,
    files: source.files.map((file) => edited(file.path) ?? file),
    load(path, from) {
      const found = source.load(path, from)
      const other = edited(found.file)
      return other ? { text: other.body, file: other.path, firstLine: other.firstLine } : found
    },
  }
}

/** The names of all dialects that a profile can choose. A folder of the user's is one if it has one of {@link promptKinds} in any locale. */
export function knownDialects(folder?: string): string[] {
  const own = folder === undefined ? [] : foldersIn(folder).filter((name) => name !== "shared" && isDialect(join(folder, name)))
  return [...new Set([...shippedDialectNames(), ...own])].sort()
}

function isDialect(folder: string): boolean {
  return localesIn(folder).some((locale) => promptKinds.some((kind) => existsSync(join(folder, locale, `${kind}.md`))))
}

function overlaid(name: string, locale: string, folder: string): DialectSource {
  const base = shippedDialectNames().includes(name) ? shippedDialectFiles(name, locale) : sharedOnly(name, locale, folder)
  const locales = [locale, base.locale]
  const present = [join(folder, "shared"), join(folder, name)]
    .map((place) => locales.map((each) => join(place, each)).find(isFolder))
    .filter((path) => path !== undefined)
  const user = present.map((path) => loadPrompts(path, { shownAs: displayPath(path) }))
  const kept = new Set(user.reduce<readonly PromptSource[]>(overlayDialect, base.files))
  const edited = asEdited({ ...base, files: base.files.filter((file) => kept.has(file)) })
  return {
    ...edited,
    files: user.reduce<readonly PromptSource[]>(overlayDialect, edited.files),
    load: userFirst(edited.load, [...present.toReversed(), folder]),
  }
}

/** The shipped files that every dialect has; a dialect of the user's own is added to them. */
function sharedOnly(name: string, locale: string, folder: string): Required<DialectSource> {
  const chosen = chooseLocale(locale, localesIn(join(folder, name))) ?? locale
  const { files, load } = shippedDialectFiles(defaultDialect, chosen)
  return { name, locale: chosen, files: files.filter(({ path }) => path.startsWith("shared/")), load }
}

/** Follows `file_load` among the user's files first, then among the shipped ones. So the user can also replace a file that a shipped file loads. */
function userFirst(base: TemplateLoader, folders: readonly string[]): TemplateLoader {
  const roots = folders.map(displayPath)
  const user = overlayLoader(base, fileLoader({ roots }))
  return (path, from) => {
    if (roots.some((root) => from.file.startsWith(`${root}/`))) return user(path, from)
    try {
      return user(path, { ...from, file: `${roots[0]}/${basename(from.file)}` })
    } catch (error) {
      // From its new place the path may lead outside the user's folder.
      if (PromptStrataError.isInstance(error)) return base(path, from)
      throw error
    }
  }
}

function localesIn(folder: string): string[] {
  return foldersIn(folder).filter(isLocale).sort()
}
