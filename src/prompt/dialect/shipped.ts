import { checkOptions, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Source } from "../../core/source.ts"
import { fold, type Look } from "../encode/fold.ts"
import { type EncoderName, type Template, type TemplateNode, type TemplateRole, withBranches } from "../template/ast.ts"
import { type CompiledFile, type Dialect, dialectOf } from "./dialect.ts"
import { dialectLocale, localesOf, type PromptFolders, shared } from "./dialect-locale.ts"
import { chooseLocale } from "./locales.ts"
import type { FoundLines } from "./markers.ts"
import type { PromptAttributes } from "./prompt-attributes.ts"
import { promptName } from "./prompt-source.ts"
import { packedFolders, shippedFolders, shippedNames } from "./shipped-prompts/folders.ts"

/** A compiled file as JSON, with short lists in place of objects, as `npm run prompts` writes it. */
export type PackedFile = readonly [
  path: string,
  separator: PromptAttributes["separator"],
  omit: readonly string[],
  optional: readonly string[],
  nodes: readonly PackedNode[],
  found: PackedLines,
]

/** Found lines. Most are lines of the file's literals, folded: then the index of that line stands for the text. */
interface PackedLines extends Omit<FoundLines, "lines" | "heads"> {
  readonly lines: readonly (number | string)[]
  readonly heads: readonly (number | string)[]
}

/** The last item names the file of a node that `file_load` brought. */
export type PackedNode =
  | readonly [type: "text", text: string, line: number, file?: string]
  | readonly [type: "role" | "messages", name: string, line: number, column: number, file?: string]
  | readonly [
      type: "slot",
      name: string,
      line: number,
      column: number,
      alone: 0 | 1,
      encoder: EncoderName | "",
      placeholder: readonly PackedNode[] | 0,
      file?: string,
    ]
  | readonly [
      type: "if",
      name: string,
      line: number,
      column: number,
      alone: 0 | 1,
      then: readonly PackedNode[],
      otherwise: readonly PackedNode[],
      file?: string,
    ]

/** The lines of all literals, in branches and placeholders too. */
export function literalLines(nodes: readonly TemplateNode[]): string[] {
  return nodes.flatMap((node) => {
    if (node.type === "literal") return node.text.split("\n")
    if (node.type === "conditional") return [...literalLines(node.then), ...literalLines(node.otherwise)]
    return node.type === "slot" ? literalLines(node.placeholder ?? []) : []
  })
}

/** Makes the files that were packed, by their names. */
function unpackFiles(packed: string): ReadonlyMap<string, CompiledFile> {
  const files = JSON.parse(packed) as readonly PackedFile[]
  return new Map(
    files.map(([path, separator, omit, optional, nodes, found]) => {
      const template: Template = { file: path, nodes: unpackNodes(nodes, path), optional: new Set(optional) }
      const known = literalLines(template.nodes)
      const unpack = (lines: PackedLines["lines"]) =>
        lines.map((line) => (typeof line === "string" ? line : fold(known[line] ?? "")))
      const lines = { ...found, lines: unpack(found.lines), heads: unpack(found.heads) }
      return [promptName(path), { file: { template, separator, omit }, found: lines }]
    }),
  )
}

function unpackNodes(nodes: readonly PackedNode[], own: string): TemplateNode[] {
  return nodes.map((node) => unpackNode(node, own))
}

function unpackNode(node: PackedNode, own: string): TemplateNode {
  switch (node[0]) {
    case "text": {
      const [, text, line, file = own] = node
      return { type: "literal", text, source: { file, line } }
    }
    case "role":
    case "messages": {
      const [type, name, line, column, file = own] = node
      const source: Source = { file, line, column }
      return type === "role" ? { type, role: name as TemplateRole, source } : { type, name, source }
    }
    case "slot": {
      const [type, name, line, column, alone, encoder, placeholder, file = own] = node
      const source: Source = { file, line, column }
      const other = placeholder ? unpackNodes(placeholder, own) : undefined
      return { type, name, encoder: encoder || undefined, placeholder: other, alone: alone === 1, source }
    }
    case "if": {
      const [, name, line, column, alone, held, otherwise, file = own] = node
      const branches = { whenHeld: unpackNodes(held, own), otherwise: unpackNodes(otherwise, own) }
      return withBranches({ type: "conditional", name, alone: alone === 1, source: { file, line, column } }, branches)
    }
  }
}

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
