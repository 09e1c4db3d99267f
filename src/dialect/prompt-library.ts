import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import type { TemplateLoader } from "../template/parse.ts"
import type { DialectSource } from "./compile-dialect.ts"
import { chooseLocale } from "./locales.ts"
import type { PromptSource } from "./prompt-source.ts"
import { folderOf, joinPath, overlayDialect, overlayLoader, sourceLoader } from "./source-loader.ts"

/** The folder whose files belong to every dialect of a locale. */
export const shared = "shared"

/** The names of folders of prompt files. */
export interface PromptFolders {
  /** All folders, such as `fay/en`. */
  readonly folders: readonly string[]
  /** The names of the folders that are dialects in each of their locales, sorted. */
  readonly dialects: readonly string[]
}

/** A library of prompt files: `DIALECT/LOCALE/*`, `shared/LOCALE/*`, and other folders. A folder is read when it is first needed. */
export interface PromptLibrary extends PromptFolders {
  /** Reads the files of a folder, such as `fay/en`. */
  read(folder: string): readonly PromptSource[]
}

/**
 * The locale in which a dialect is found. A missing one falls back to one of the same language, then to `en`, then to `zh-CN`.
 * An unknown name is an error with code `prompt-missing` that lists the known names.
 */
export function dialectLocale({ folders, dialects }: PromptFolders, name: string, locale: string): string {
  if (!dialects.includes(name)) throw unknownDialect(name, dialects)
  return chooseLocale(locale, localesOf(folders, name)) ?? locale
}

/** The locales that a folder such as `fay` or `tools` has. */
export function localesOf(folders: readonly string[], name: string): string[] {
  return folders.flatMap((folder) => (folder.startsWith(`${name}/`) ? [folder.slice(name.length + 1)] : []))
}

/**
 * A dialect's files over the shared ones, not compiled. They are the base for a user's own files. The locale is chosen by
 * {@link dialectLocale}.
 */
export function dialectFiles(library: PromptLibrary, name: string, locale: string): Required<DialectSource> {
  const chosen = dialectLocale(library, name, locale)
  const [own, common] = [`${name}/${chosen}`, `${shared}/${chosen}`]
  const [ownFiles, commonFiles] = [library.read(own), library.read(common)]
  const load = overlayLoader(rootLoader(library), sourceLoader([...commonFiles, ...ownFiles], [own, common]))
  return { name, locale: chosen, files: overlayDialect(commonFiles, ownFiles), load }
}

/** Loads files of other folders by their whole path. Only then the folder is read. */
function rootLoader({ folders, read }: PromptLibrary): TemplateLoader {
  return (path, from) => {
    const places = [joinPath(folderOf(from.file), path), joinPath("", path)]
    const asked = folders.filter((folder) => places.some((place) => place?.startsWith(`${folder}/`)))
    return sourceLoader(asked.flatMap(read), [""])(path, from)
  }
}

function unknownDialect(name: string, known: readonly string[]): PromptStrataError {
  return new PromptStrataError(
    "prompt-missing",
    `expected the name of a dialect (${known.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, known)}`,
  )
}
