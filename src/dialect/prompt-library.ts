import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import type { TemplateLoader } from "../template/parse.ts"
import { compileDialect, type Dialect, type DialectSource } from "./dialect.ts"
import { chooseLocale, isLocale } from "./locales.ts"
import { type PromptSource, promptKinds, promptName } from "./prompt-source.ts"
import { overlayDialect, overlayLoader, sourceLoader } from "./source-loader.ts"

/** The folder whose files every dialect of a locale has. */
const shared = "shared"

/** Prompt files in folders such as `fay/en`, of which each is read when it is first needed. */
export interface PromptTree {
  /** Paths of all files, such as `fay/en/planner.md`. */
  readonly paths: readonly string[]
  /** The files of a folder: of `fay/en`, say. */
  read(folder: string): readonly PromptSource[]
}

/** A tree of prompt files: `DIALECT/LOCALE/*`, `shared/LOCALE/*`, and other folders. */
export interface PromptLibrary {
  /** The names of the dialects, in order: the folders with a planner, a final or a chat prompt in some locale. */
  readonly dialects: readonly string[]
  /** Folders with their locale, such as `fay/en`. */
  readonly folders: readonly string[]
  /** A dialect's files over the shared ones, not compiled: the base for a user's own files. Falls back as {@link PromptLibrary.dialect}. */
  files(name: string, locale: string): Required<DialectSource>
  /**
   * A dialect, compiled on first use and kept. A missing locale falls back to one of the same language, to `en`, then to
   * `zh-CN`; an unknown name is an error with code `prompt-missing` that lists the known ones.
   */
  dialect(name: string, locale: string): Dialect
  /** Any file by its path, such as `characters/fay.md`. */
  find(path: string): PromptSource | undefined
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

  /** Files of other folders can be loaded by their whole path; a folder is read only then. */
  const fromRoot: TemplateLoader = (path, from) => {
    const found = find(path)
    return sourceLoader(found ? [found] : paths.map(unread), [""])(path, from)
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
    find,
  }
}

/** Stands for a file in the list of known paths. */
function unread(path: string): PromptSource {
  return { path, attributes: {}, body: "", firstLine: 1 }
}

/** A prompt of a dialect, `fay/en/planner.md`; files under `shared` belong to all. */
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
