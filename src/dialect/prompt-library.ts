import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import type { TemplateLoader } from "../template/parse.ts"
import { compileDialect, type Dialect, type DialectSource } from "./dialect.ts"
import { chooseLocale, isLocale } from "./locales.ts"
import { overlayDialect } from "./overlay.ts"
import { type PromptSource, promptKinds, promptName } from "./prompt-source.ts"
import { sourceLoader } from "./source-loader.ts"

/** The folder whose files every dialect of a locale has. */
const shared = "shared"

/** A tree of prompt files: `DIALECT/LOCALE/*`, `shared/LOCALE/*`, and other folders. */
export interface PromptLibrary {
  /** The names of the dialects, in order: the folders with a planner, a final or a chat prompt in some locale. */
  readonly dialects: readonly string[]
  /** A dialect's files over the shared ones, not compiled: what a user's files are laid over. Falls back as {@link PromptLibrary.dialect}. */
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
export function createPromptLibrary(prompts: readonly PromptSource[]): PromptLibrary {
  const dialects = [...new Set(prompts.filter(isDialectPrompt).map(({ path }) => folderAt(path, 0)))].sort()
  const compiled = new Map<string, Dialect>()

  function files(name: string, locale: string): Required<DialectSource> {
    if (!dialects.includes(name)) throw unknownDialect(name, dialects)
    const available = new Set(
      prompts
        .filter(isDialectPrompt)
        .filter(inFolder(name))
        .map(({ path }) => folderAt(path, 1)),
    )
    const chosen = chooseLocale(locale, [...available]) ?? locale
    const [own, common] = [`${name}/${chosen}`, `${shared}/${chosen}`]
    const load: TemplateLoader = sourceLoader(prompts, [own, common, ""])
    return { name, locale: chosen, files: overlayDialect(prompts.filter(inFolder(common)), prompts.filter(inFolder(own))), load }
  }

  return {
    dialects,
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
    find: (path) => prompts.find((prompt) => prompt.path === path),
  }
}

/** A prompt of a dialect, `fay/en/planner.md`; files under `shared` belong to all. */
function isDialectPrompt({ path }: PromptSource): boolean {
  const parts = path.split("/")
  return parts.length === 3 && parts[0] !== shared && isLocale(folderAt(path, 1)) && promptKinds.includes(promptName(path))
}

function inFolder(folder: string): (source: PromptSource) => boolean {
  return ({ path }) => path.startsWith(`${folder}/`)
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
