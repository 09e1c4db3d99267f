import { existsSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { PromptStrataError } from "../core/errors.ts"
import { compileDialect, type Dialect, type DialectSource } from "../dialect/dialect.ts"
import { chooseLocale, isLocale } from "../dialect/locales.ts"
import { overlayDialect, overlayLoader } from "../dialect/overlay.ts"
import { type PromptSource, promptKinds } from "../dialect/prompt-source.ts"
import { shippedDialect, shippedDialectFiles, shippedDialectNames } from "../dialect/shipped.ts"
import { profileDefaults } from "../profile/defaults.ts"
import type { TemplateLoader } from "../template/parse.ts"
import { isFolder } from "./is-folder.ts"
import { fileLoader, loadPrompts } from "./load-prompts.ts"
import { displayPath } from "./shipped-files.ts"

/** Which dialect, and the user's prompts folder if there is one. */
export interface DialectChoice {
  readonly name: string
  readonly locale: string
  /** Laid out as the shipped `prompts/`. */
  readonly folder?: string
}

/**
 * Compiles a dialect: the shipped one of that name, with the user's files in `FOLDER/shared/LOCALE` and `FOLDER/NAME/LOCALE` in
 * the place of those of the same name. A folder can also bring a dialect of its own. `undefined` where neither has the name.
 */
export function loadDialect({ name, locale, folder }: DialectChoice): Dialect | undefined {
  if (!knownDialects(folder).includes(name)) return undefined
  return folder === undefined ? shippedDialect(name, locale) : compileDialect(overlaid({ name, locale, folder }))
}

/** The names of all dialects that a profile can choose: a user's own has one of the {@link promptKinds} in some locale. */
export function knownDialects(folder?: string): string[] {
  const own = folder === undefined ? [] : foldersIn(folder).filter((name) => name !== "shared" && isDialect(join(folder, name)))
  return [...new Set([...shippedDialectNames(), ...own])].sort()
}

function isDialect(folder: string): boolean {
  return localesIn(folder).some((locale) => promptKinds.some((kind) => existsSync(join(folder, locale, `${kind}.md`))))
}

function overlaid({ name, locale, folder }: Required<DialectChoice>): DialectSource {
  const base = shippedDialectNames().includes(name) ? shippedDialectFiles(name, locale) : sharedOnly(name, { locale, folder })
  const locales = [locale, base.locale]
  const folders = [join(folder, "shared"), join(folder, name)].map((place) =>
    locales.map((each) => join(place, each)).find(isFolder),
  )
  const present = folders.filter((path) => path !== undefined)
  const user = present.map((path) => loadPrompts(path, { shownAs: displayPath(path) }))
  return {
    ...base,
    files: user.reduce<readonly PromptSource[]>(overlayDialect, base.files),
    load: userFirst(base.load, [...present.toReversed(), folder]),
  }
}

/** A dialect of the user's own begins with the shipped files that every dialect has. */
function sharedOnly(
  name: string,
  { locale, folder }: { readonly locale: string; readonly folder: string },
): Required<DialectSource> {
  const chosen = chooseLocale(locale, localesIn(join(folder, name))) ?? locale
  const { files, load } = shippedDialectFiles(profileDefaults.dialect, chosen)
  return { name, locale: chosen, files: files.filter(({ path }) => path.startsWith("shared/")), load }
}

/** Follows `file_load` among the user's files, then among the shipped ones: for a shipped file too, so that what it loads can be replaced. */
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
  return foldersIn(folder).filter(isLocale)
}

function foldersIn(folder: string): string[] {
  if (!isFolder(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}
