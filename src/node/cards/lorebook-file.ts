import { basename, extname } from "node:path"
import { checkOptions } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { recordOf } from "../../core/json-access.ts"
import { cardOf } from "../../layers/card/card.ts"
import { readBook } from "../../layers/card/card-book.ts"
import { defaultLore, type LoreSettings } from "../../layers/lorebook/lore-settings.ts"
import type { Lorebook } from "../../layers/lorebook/lorebook.ts"
import type { Plugin } from "../../services/plugin.ts"
import { readWorldBook } from "../character/read-world-book.ts"
import { isFolder } from "../file-log.ts"
import { readBytes } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { located, parseJson } from "./card-file.ts"
import { loreHook } from "./card-hook.ts"
import { loreSource } from "./lore-turn.ts"

/** The surroundings of lorebooks without a card, and how they enter turns. */
export interface LorebookOptions extends Partial<LoreSettings> {
  /** The agent's name, for `{{char}}`. */
  readonly name: string
  /** The language of dates in macros. Default `en`. */
  readonly locale?: string | undefined
  readonly timeZone?: string | undefined
}

const optionNames: Readonly<Record<keyof LorebookOptions, true>> = {
  name: true,
  locale: true,
  timeZone: true,
  place: true,
  budgetShare: true,
  stayTurns: true,
  names: true,
  wholeWords: true,
  scanDepth: true,
  recursive: true,
}

/**
 * Loads lorebooks as a plugin: JSON of a V3 lorebook or of SillyTavern, a Markdown file, or a folder of such files. JSON is a stranger's
 * text and is encoded; Markdown is the author's. Throws `prompt-missing` if there is none, and `file` or `front-matter` for a bad one.
 */
export async function loadLorebook(paths: string | readonly string[], options: LorebookOptions): Promise<Plugin> {
  checkOptions("loadLorebook", options, optionNames)
  return lorebookPlugin(typeof paths === "string" ? [paths] : paths, options)
}

/** {@link loadLorebook} for a profile. */
export function lorebookPlugin(paths: readonly string[], options: LorebookOptions): Plugin {
  const { name, locale = "en", timeZone, ...given } = options
  const lore: LoreSettings = { ...defaultLore, ...given }
  const taken = new Set<string>()
  const sources = paths.map((path) => loreSource(newName(path, taken), readLorebook(path).book, lore))
  return { name: "lorebook", hooks: [loreHook("lorebook", sources, { name, locale, timeZone, lore })] }
}

/** A name for the keys of a book's injections, after its file. */
function newName(path: string, taken: Set<string>): string {
  const plain = basename(path, extname(path))
    .replace(/[^\w-]+/g, "-")
    .slice(0, 40)
  let name = plain === "" || plain === "card" ? "book" : plain
  for (let number = 2; taken.has(name); number++) name = `${plain}-${number}`
  taken.add(name)
  return name
}

const maxBytes = 64 * 1024 * 1024

/** Reads a lorebook, with what had to be read in another way than it is written. */
export function readLorebook(path: string): { readonly book: Lorebook; readonly warnings: readonly string[] } {
  if (isFolder(path) || extname(path).toLowerCase() === ".md") return { book: { entries: readWorldBook(path) }, warnings: [] }
  const file = displayPath(path)
  try {
    const json = parseJson(readBytes(path, file, { maxBytes, kind: "lorebook" }), maxBytes, "the file")
    const warnings: string[] = []
    const { spec, entries } = recordOf(json)
    if (spec === "lorebook_v3" || (typeof entries === "object" && entries !== null))
      return { book: readBook(json, { path: "lorebook", warnings }), warnings }
    const card = cardOf(json)
    if (typeof card === "object" && card.book !== undefined) return { book: card.book, warnings: card.warnings }
    throw new PromptStrataError("file", "expected a lorebook with entries, found JSON without them.", {
      hint: 'A lorebook is { "spec": "lorebook_v3", "data": … } or a world file of SillyTavern: { "entries": { … } }.',
    })
  } catch (thrown) {
    throw located(thrown, path)
  }
}
