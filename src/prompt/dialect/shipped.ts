import { checkOptions, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Look } from "../encode/fold.ts"
import { type CompiledFile, type Dialect, dialectOf } from "./dialect.ts"
import { background, dialectLocale, localesOf, type PromptFolders, shared } from "./dialect-locale.ts"
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
  const dialect = dialects.get(found) ?? dialectOf({ name, locale: chosen }, filesOf(`${shared}/${chosen}`, found))
  dialects.set(found, dialect).set(asked, dialect)
  return dialect
}

/**
 * The dialect for requests of a prompt. Prompts that no turn prints stand apart from a shipped dialect, and are read when one of them is
 * asked for. Outside Node.js, await {@link loadDialect} with `background` first.
 */
export function dialectWith(prompt: string, dialect: Dialect): Dialect {
  const { name } = dialect
  if (dialect.files.has(prompt) || !shippedNames.includes(name)) return dialect
  const locale = dialectLocale(shipped, name, dialect.locale)
  const folders = [`${shared}/${locale}`, `${background}/${locale}`, `${name}/${locale}`] as const
  if (!compiledFolder(folders[0]).has(prompt)) return dialect
  const whole = dialects.get(`whole ${name}/${locale}`) ?? dialectOf({ name, locale }, filesOf(...folders))
  dialects.set(`whole ${name}/${locale}`, whole)
  return whole
}

/** The compiled files of folders, each over those before it. One of which the headings were known comes to their place. */
function filesOf(...folders: readonly string[]): ReadonlyMap<string, CompiledFile> {
  const files = new Map<string, CompiledFile>()
  for (const folder of folders)
    for (const [name, file] of compiledFolder(folder)) {
      if (files.get(name)?.file) files.delete(name)
      files.set(name, file)
    }
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

type LoadDialectOptions = { readonly names?: boolean; readonly background?: boolean }

/**
 * Loads a shipped dialect by `import()`, with the notice of `truncateText`, and what {@link loadedWithDialects} adds. After that,
 * {@link shippedDialect} gives it in any JavaScript runtime. With `names`, `assemble` knows names of speakers in look-alike letters there, too,
 * and with `background` it has the prompts that no turn prints, such as `reflection`; Node.js reads both by itself, but not in a bundle.
 */
export async function loadDialect(name: string, locale: string, options: LoadDialectOptions = {}): Promise<Dialect> {
  checkType("the name of loadDialect", name, "string")
  checkType("the locale of loadDialect", locale, "string")
  checkOptions("loadDialect", options, "names background")
  if (options.names === true) await loadNameLooks()
  const chosen = chooseLocale(locale, localesOf(shipped.folders, name)) ?? locale
  const folders = [`${name}/${chosen}`, `${shared}/${chosen}`, "layered/en", `${shared}/en`]
  if (options.background === true) folders.push(`${background}/${chosen}`)
  for (const folder of folders) {
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
    hint: "In a browser or a bundle, await loadDialect(name, locale) first, with { background: true } for a prompt behind turns.",
    cause,
  })
}
