import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import type { TemplateLoader } from "../template/parse.ts"
import { compileDialect, type Dialect, type DialectSource } from "./dialect.ts"
import { chooseLocale } from "./locales.ts"
import type { PromptSource } from "./prompt-source.ts"
import { folderOf, joinPath, overlayDialect, overlayLoader, sourceLoader } from "./source-loader.ts"

/** The folder whose files belong to every dialect of a locale. */
const shared = "shared"

/** Prompt files in folders such as `fay/en`. A folder is read when it is first needed. */
export interface PromptTree {
  /** All folders, such as `fay/en`. */
  readonly folders: readonly string[]
  /** The names of the folders that are dialects in each of their locales, sorted. */
  readonly dialects: readonly string[]
  /** Reads the files of a folder, such as `fay/en`. */
  read(folder: string): readonly PromptSource[]
}

/** A tree of prompt files: `DIALECT/LOCALE/*`, `shared/LOCALE/*`, and other folders. */
export interface PromptLibrary {
  readonly dialects: readonly string[]
  readonly folders: readonly string[]
  /**
   * A dialect's files over the shared ones, not compiled. They are the base for a user's own files. A missing locale falls back
   * as in {@link PromptLibrary.dialect}.
   */
  files(name: string, locale: string): Required<DialectSource>
  /**
   * A dialect, compiled once, when it is first used. A missing locale falls back to one of the same language, then to `en`, then
   * to `zh-CN`. An unknown name is an error with code `prompt-missing` that lists the known names.
   */
  dialect(name: string, locale: string): Dialect
}

/** Makes a library of files whose paths are relative to its root. */
export function createPromptLibrary({ folders, dialects, read }: PromptTree): PromptLibrary {
  const compiled = new Map<string, Dialect>()

  function files(name: string, locale: string): Required<DialectSource> {
    if (!dialects.includes(name)) throw unknownDialect(name, dialects)
    const locales = folders.filter((folder) => folder.startsWith(`${name}/`)).map((folder) => folder.slice(name.length + 1))
    const chosen = chooseLocale(locale, locales) ?? locale
    const [own, common] = [`${name}/${chosen}`, `${shared}/${chosen}`]
    const [ownFiles, commonFiles] = [read(own), read(common)]
    const load = overlayLoader(fromRoot, sourceLoader([...commonFiles, ...ownFiles], [own, common]))
    return { name, locale: chosen, files: overlayDialect(commonFiles, ownFiles), load }
  }

  /** Loads files of other folders by their whole path. Only then the folder is read. */
  const fromRoot: TemplateLoader = (path, from) => {
    const places = [joinPath(folderOf(from.file), path), joinPath("", path)]
    const asked = folders.filter((folder) => places.some((place) => place?.startsWith(`${folder}/`)))
    return sourceLoader(asked.flatMap(read), [""])(path, from)
  }

  return {
    dialects,
    folders,
    files,
    dialect(name, locale) {
      const asked = `${name}/${locale}`
      const known = compiled.get(asked)
      if (known) return known
      const source = files(name, locale)
      const found = `${name}/${source.locale}`
      const dialect = compiled.get(found) ?? compileDialect(source)
      compiled.set(found, dialect).set(asked, dialect)
      return dialect
    },
  }
}

function unknownDialect(name: string, known: readonly string[]): PromptStrataError {
  return new PromptStrataError(
    "prompt-missing",
    `expected the name of a dialect (${known.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, known)}`,
  )
}
