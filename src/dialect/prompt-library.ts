import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import type { TemplateLoader } from "../template/parse.ts"
import { compileDialect, type Dialect, type DialectSource } from "./dialect.ts"
import { chooseLocale, isLocale } from "./locales.ts"
import { type PromptSource, promptKinds, promptName } from "./prompt-source.ts"
import { overlayDialect, overlayLoader, sourceLoader } from "./source-loader.ts"

/** The folder whose files belong to every dialect of a locale. */
const shared = "shared"

/** Prompt files in folders such as `fay/en`. A folder is read when it is first needed. */
export interface PromptTree {
  /** The paths of all files, such as `fay/en/planner.md`. */
  readonly paths: readonly string[]
  /** Reads the files of a folder, such as `fay/en`. */
  read(folder: string): readonly PromptSource[]
}

/** A tree of prompt files: `DIALECT/LOCALE/*`, `shared/LOCALE/*`, and other folders. */
export interface PromptLibrary {
  /** The names of the dialects, sorted: folders that have a planner, a final or a chat prompt in some locale. */
  readonly dialects: readonly string[]
  /** Folders with their locale, such as `fay/en`. */
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
export function createPromptLibrary({ paths, read }: PromptTree): PromptLibrary {
  const dialectPaths = paths.filter(isDialectPrompt)
  const dialects = [...new Set(dialectPaths.map((path) => folderAt(path, 0)))].sort()
  const compiled = new Map<string, Dialect>()

  function files(name: string, locale: string): Required<DialectSource> {
    if (!dialects.includes(name)) throw unknownDialect(name, dialects)
    const locales = new Set(dialectPaths.filter((path) => path.startsWith(`${name}/`)).map((path) => folderAt(path, 1)))
    const chosen = chooseLocale(locale, [...locales]) ?? locale
    const [own, common] = [`${name}/${chosen}`, `${shared}/${chosen}`]
    const [ownFiles, commonFiles] = [read(own), read(common)]
    const load = overlayLoader(fromRoot, sourceLoader([...commonFiles, ...ownFiles], [own, common]))
    return { name, locale: chosen, files: overlayDialect(commonFiles, ownFiles), load }
  }

  const find = (path: string) => (paths.includes(path) ? read(folderOf(path)).find((prompt) => prompt.path === path) : undefined)

  /** Loads files of other folders by their whole path. Only then the folder is read. */
  const fromRoot: TemplateLoader = (path, from) => {
    const known = sourceLoader(paths.map(unread), [""])(path, from)
    const found = find(known.file)
    return found ? { text: found.body, file: found.path, firstLine: found.firstLine } : known
  }

  return {
    dialects,
    folders: [...new Set(paths.map(folderOf))],
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

/** An empty prompt in place of an unread file, for the list of known paths. */
function unread(path: string): PromptSource {
  return { path, attributes: {}, body: "", firstLine: 1 }
}

/** True for a prompt of a dialect, such as `fay/en/planner.md`. Files under `shared` belong to all dialects. */
function isDialectPrompt(path: string): boolean {
  const parts = path.split("/")
  return parts.length === 3 && parts[0] !== shared && isLocale(folderAt(path, 1)) && promptKinds.includes(promptName(path))
}

/** `fay/en` for `fay/en/planner.md`, also for files further down. */
function folderOf(path: string): string {
  return path.split("/").slice(0, -1).slice(0, 2).join("/")
}

function folderAt(path: string, depth: number): string {
  return path.split("/")[depth] ?? ""
}

function unknownDialect(name: string, known: readonly string[]): PromptStrataError {
  return new PromptStrataError(
    "prompt-missing",
    `expected the name of a dialect (${known.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, known)}`,
  )
}
