import { PromptStrataError } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import { chooseLocale } from "./locales.ts"

/** The folder whose files belong to every dialect of a locale. */
export const shared = "shared"

/** The folder of those that no turn prints. The package has them in modules of their own. */
export const background = "background"

/** The names of folders of prompt files. */
export interface PromptFolders {
  /** All folders, such as `fay/en`. */
  readonly folders: readonly string[]
  /** The names of the folders that are dialects in each of their locales, sorted. */
  readonly dialects: readonly string[]
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

function unknownDialect(name: string, known: readonly string[]): PromptStrataError {
  const message = `expected the name of a dialect (${known.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, known)}`
  return new PromptStrataError("prompt-missing", message)
}
