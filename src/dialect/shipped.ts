import { PromptStrataError } from "../core/errors.ts"
import type { Dialect, DialectSource } from "./dialect.ts"
import { chooseLocale } from "./locales.ts"
import { createPromptLibrary, type PromptLibrary } from "./prompt-library.ts"
import type { PromptSource } from "./prompt-source.ts"
import { shippedFolders, shippedNames } from "./shipped-prompts/folders.ts"

/** The folders that were read, by name. */
const read = new Map<string, readonly PromptSource[]>()

let library: PromptLibrary | undefined

function shippedLibrary(): PromptLibrary {
  library ??= createPromptLibrary({
    folders: Object.keys(shippedFolders),
    dialects: shippedNames,
    read: readFolder,
  })
  return library
}

/** The names of the shipped dialects. */
export function shippedDialectNames(): readonly string[] {
  return shippedLibrary().dialects
}

/**
 * A shipped dialect, compiled when it is first used. A missing locale falls back to one of the same language, then to `en`, then
 * to `zh-CN`. An unknown name is an error with code `prompt-missing`. Outside Node.js, await {@link loadDialect} first.
 */
export function shippedDialect(name: string, locale: string): Dialect {
  return shippedLibrary().dialect(name, locale)
}

/**
 * Loads a shipped dialect by `import()`, with the words of the shipped tools in its language and in English, and the notice of `truncateText`. After that,
 * {@link shippedDialect} gives it in any JavaScript runtime.
 */
export async function loadDialect(name: string, locale: string): Promise<Dialect> {
  const chosen = chooseLocale(locale, localesOf(name)) ?? locale
  for (const folder of [`${name}/${chosen}`, `shared/${chosen}`, `tools/${chosen}`, "layered/en", "shared/en", "tools/en"]) {
    const load = shippedFolders[folder]
    if (load && !read.has(folder)) read.set(folder, (await load()).prompts)
  }
  return shippedDialect(name, locale)
}

/** The files of a shipped dialect, not compiled. To change some, use `overlayDialect`, then `compileDialect`. */
export function shippedDialectFiles(name: string, locale: string): Required<DialectSource> {
  return shippedLibrary().files(name, locale)
}

/**
 * Shipped files, in order of their paths: those of the folder `name`, such as `tools`, or all. With a locale only those of the one
 * that stands for it, since a program speaks one language.
 */
export function shippedPrompts(name?: string, locale?: string): readonly PromptSource[] {
  const folders = name === undefined ? Object.keys(shippedFolders) : localesOf(name).map((found) => `${name}/${found}`)
  const chosen = locale === undefined ? undefined : chooseLocale(locale, name === undefined ? [] : localesOf(name))
  return (chosen === undefined ? folders : [`${name}/${chosen}`]).flatMap(readFolder)
}

function localesOf(name: string): string[] {
  return shippedLibrary().folders.flatMap((folder) => (folder.startsWith(`${name}/`) ? [folder.slice(name.length + 1)] : []))
}

function readFolder(folder: string): readonly PromptSource[] {
  const before = read.get(folder)
  if (before) return before
  if (!shippedFolders[folder]) return []
  const prompts = readModule(folder.replace("/", "."))
  read.set(folder, prompts)
  return prompts
}

/** Reads a generated module synchronously. Only Node.js and similar runtimes can do that; others have to load it before. */
function readModule(name: string): readonly PromptSource[] {
  const own = import.meta.url
  const nodeModule = globalThis.process?.getBuiltinModule?.("node:module")
  if (!nodeModule) throw notLoaded(name)
  try {
    // This path is valid from the folder of this file and from the folder of the built chunk.
    const path = `../dialect/shipped-prompts/${name}${own.slice(own.lastIndexOf("."))}`
    return (nodeModule.createRequire(own)(path) as { readonly prompts: readonly PromptSource[] }).prompts
  } catch (cause) {
    throw notLoaded(name, cause)
  }
}

function notLoaded(name: string, cause?: unknown): PromptStrataError {
  return new PromptStrataError("prompt-missing", `expected the shipped prompts ${name} to be loaded, found them not loaded.`, {
    hint: "If files cannot be read synchronously (in a browser or a bundle), await loadDialect(name, locale) first.",
    cause,
  })
}
