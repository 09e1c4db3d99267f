import { PromptStrataError } from "../core/errors.ts"
import type { Dialect, DialectSource } from "./dialect.ts"
import { chooseLocale } from "./locales.ts"
import { createPromptLibrary, type PromptLibrary } from "./prompt-library.ts"
import type { PromptSource } from "./prompt-source.ts"
import { shippedFolders } from "./shipped-prompts/folders.ts"

/** The folders that were read, by name. */
const read = new Map<string, readonly PromptSource[]>()

let library: PromptLibrary | undefined

function shippedLibrary(): PromptLibrary {
  library ??= createPromptLibrary({
    paths: Object.entries(shippedFolders).flatMap(([folder, { files }]) => files.map((file) => `${folder}/${file}`)),
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
 * Loads a shipped dialect by `import()`, with the words of the shipped tools and the notice of `truncateText`. After that,
 * {@link shippedDialect} gives it in any JavaScript runtime.
 */
export async function loadDialect(name: string, locale: string): Promise<Dialect> {
  const { folders } = shippedLibrary()
  const locales = folders.filter((folder) => folder.startsWith(`${name}/`)).map((folder) => folder.slice(name.length + 1))
  const chosen = chooseLocale(locale, locales) ?? locale
  const needed = [`${name}/${chosen}`, `shared/${chosen}`, "layered/en", "shared/en"]
  for (const folder of [...needed, ...folders.filter((one) => one.startsWith("tools/"))]) {
    const shipped = shippedFolders[folder]
    if (shipped && !read.has(folder)) read.set(folder, (await shipped.load()).prompts)
  }
  return shippedDialect(name, locale)
}

/** The files of a shipped dialect, not compiled. To change some, use `overlayDialect`, then `compileDialect`. */
export function shippedDialectFiles(name: string, locale: string): Required<DialectSource> {
  return shippedLibrary().files(name, locale)
}

/** Shipped files, in order of their paths: those of the folder `name`, such as `tools`, in every locale, or all. */
export function shippedPrompts(name?: string): readonly PromptSource[] {
  return Object.keys(shippedFolders).flatMap((folder) =>
    name === undefined || folder.startsWith(`${name}/`) ? readFolder(folder) : [],
  )
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
