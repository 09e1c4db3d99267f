import { checkOptions, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Look } from "../encode/fold.ts"
import { type CompiledFile, type Dialect, dialectOf } from "./dialect.ts"
import { dialectLocale, localesOf, type PromptFolders, shared } from "./dialect-locale.ts"
import { chooseLocale } from "./locales.ts"
import { unpackFiles } from "./packed-files.ts"
import { packedFolders, shippedFolders, shippedNames } from "./shipped-prompts/folders.ts"

/** The names of what is shipped. */
export const shipped: PromptFolders = { folders: shippedFolders, dialects: shippedNames }

/** The compiled files of folders that were read, by the folder's name. */
const compiled = new Map<string, ReadonlyMap<string, CompiledFile>>()
/** The dialects that were asked for, by name and locale. */
const dialects = new Map<string, Dialect>()

/** The names of the shipped dialects. */
export function shippedDialectNames(): readonly string[] {
  return shippedNames
}

/**
 * A shipped dialect. It is compiled when the package is built, and put together when it is first used. A missing locale falls back to
 * one of the same language, then to `en`, then to `zh-CN`. An unknown name is an error with code `prompt-missing`. Outside Node.js,
 * await {@link loadDialect} first.
 */
export function shippedDialect(name: string, locale: string): Dialect {
  checkType("the name of shippedDialect", name, "string")
  checkType("the locale of shippedDialect", locale, "string")
  const asked = `${name}/${locale}`
  const known = dialects.get(asked)
  if (known) return known
  const chosen = dialectLocale(shipped, name, locale)
  const found = `${name}/${chosen}`
  const dialect = dialects.get(found) ?? dialectOf({ name, locale: chosen }, filesOver(`${shared}/${chosen}`, found))
  dialects.set(found, dialect).set(asked, dialect)
  return dialect
}

/** The compiled files of a folder over those of another one. */
function filesOver(common: string, own: string): ReadonlyMap<string, CompiledFile> {
  const files = new Map(compiledFolder(common))
  const over = compiledFolder(own)
  for (const name of over.keys()) files.delete(name)
  for (const [name, file] of over) files.set(name, file)
  return files
}

/** More to load for the locale of a dialect. `shipped-files.ts` adds the words of tools, so that a program without such tools does not load them. */
export const loadedWithDialects = new Set<(locale: string) => Promise<void>>()

let looks: readonly Look[] | "unreadable" | undefined

/**
 * The looks by which names are compared (T51), read at their first use. Outside Node.js and in a bundle they are there only if
 * {@link loadDialect} loaded them with `names`.
 */
export function nameLooks(): readonly Look[] | undefined {
  try {
    looks ??= readModule<typeof import("../encode/look-alikes.ts")>("look-alikes").looks
  } catch {
    looks = "unreadable"
  }
  return looks === "unreadable" ? undefined : looks
}

/** {@link nameLooks} in any JavaScript runtime. */
export async function loadNameLooks(): Promise<readonly Look[]> {
  const loaded = await import("./shipped-prompts/look-alikes.ts")
  looks = loaded.looks
  return loaded.looks
}

/**
 * Loads a shipped dialect by `import()`, with the notice of `truncateText`, and what {@link loadedWithDialects} adds. After that,
 * {@link shippedDialect} gives it in any JavaScript runtime. With `names`, `assemble` knows names of speakers in look-alike letters there, too;
 * Node.js reads that table by itself, but not in a bundle.
 */
export async function loadDialect(name: string, locale: string, options: { readonly names?: boolean } = {}): Promise<Dialect> {
  checkType("the name of loadDialect", name, "string")
  checkType("the locale of loadDialect", locale, "string")
  checkOptions("loadDialect", options, "names")
  if (options.names === true) await loadNameLooks()
  const chosen = chooseLocale(locale, localesOf(shipped.folders, name)) ?? locale
  for (const folder of [`${name}/${chosen}`, `${shared}/${chosen}`, "layered/en", `${shared}/en`]) {
    const load = packedFolders[folder]
    if (load && !compiled.has(folder)) compiled.set(folder, unpackFiles((await load()).packed))
  }
  for (const load of loadedWithDialects) await load(chosen)
  return shippedDialect(name, locale)
}

function compiledFolder(folder: string): ReadonlyMap<string, CompiledFile> {
  const before = compiled.get(folder)
  if (before) return before
  if (!packedFolders[folder]) return new Map()
  const files = unpackFiles(readModule<{ readonly packed: string }>(`packed.${folder.replace("/", ".")}`).packed)
  compiled.set(folder, files)
  return files
}

/** Reads a generated module synchronously. Only Node.js and similar runtimes can do that; others have to load it before. */
export function readModule<Module>(name: string): Module {
  const own = import.meta.url
  const nodeModule = globalThis.process?.getBuiltinModule?.("node:module")
  if (!nodeModule) throw notLoaded(name)
  try {
    // They stand beside this file, and beside the built chunk.
    const path = `./shipped-prompts/${name}${own.slice(own.lastIndexOf("."))}`
    return nodeModule.createRequire(own)(path) as Module
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
