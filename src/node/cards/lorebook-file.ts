import { basename, extname, resolve } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import { recordOf } from "../../core/json-access.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import { formatKeyPath, wrongValues } from "../../profile/check-keys.ts"
import { inSnakeCase, type SettingsOf } from "../../profile/key.ts"
import { profileFileKeys } from "../../profile/profile-file-keys.ts"
import { withDefaults } from "../../profile/resolve.ts"
import { cardOf } from "../../prompt/layers/card/card.ts"
import { readBook } from "../../prompt/layers/card/card-book.ts"
import type { LoreSettings } from "../../prompt/layers/lorebook/lore-settings.ts"
import type { Lorebook, LoreEntry } from "../../prompt/layers/lorebook/lorebook.ts"
import { readWorldBook } from "../character/read-world-book.ts"
import { isFolder } from "../file-log.ts"
import { inCamelCase } from "../profile/profile-document.ts"
import { bytesAt } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { cardJson, located } from "./card-file.ts"
import { type LoreLook, loreHook } from "./card-hook.ts"
import { loreSource } from "./lore-turn.ts"

/** The language of dates in macros, and the user of private conversations, by default the speaker. */
export interface LorebookPlace extends Pick<LoreLook, "locale" | "timeZone" | "userName"> {
  readonly note?: AuthorNote | undefined
}

/** An author's note as `[author_note]` of a profile has it. */
export type AuthorNote = SettingsOf<typeof profileFileKeys.keys.authorNote.keys>

/**
 * The plugin `lorebook`: JSON of V3 lorebooks or of SillyTavern, Markdown files, or folders of such files. JSON is a stranger's text and is
 * encoded; Markdown is the author's own. Throws `prompt-missing` for a missing file, and `file` or `front-matter` for a bad one.
 */
export function lorebookPlugin(paths: readonly string[], lore: LoreSettings, { note, ...place }: LorebookPlace): Plugin {
  const taken = new Set([noteName])
  const notes = note === undefined ? [] : [loreSource(noteName, { entries: noteEntries(note) }, lore)]
  const sources = [...paths.map((path) => loreSource(newName(path, taken), readLorebook(path).book, lore)), ...notes]
  return { name: "lorebook", hooks: [loreHook("lorebook", sources, { ...place, lore })] }
}

const noteName = "author_note"

/** The note as an entry that needs no key and is no part of the books' number of tokens. */
function noteEntries({ text = "", depth, interval, role }: AuthorNote): readonly LoreEntry[] {
  const always = { keys: [], constant: true, ignoreBudget: true, order: 100 } as const
  const position = { at: "depth", depth, fromStart: false, role } as const
  const conditions = interval === 1 ? undefined : { everyTurns: interval }
  const note = { id: noteName, title: noteName, text: { text, trust: "author" }, position, conditions, ...always } as const
  return text === "" || interval === 0 ? [] : [note]
}

/** {@link lorebookPlugin} with options as a profile's file spells them. Throws `plugin` for wrong ones. */
export function optionedLorebook(
  options: Readonly<Record<string, unknown>>,
  { locale, folder }: { readonly locale: string; readonly folder: string },
): Plugin {
  const wrong = wrongValues(profileFileKeys.keys.lorebook.type, options, [], inSnakeCase)
  if (wrong.length > 0) {
    const unknown = wrong.flatMap((problem) => ("known" in problem ? [JSON.stringify(formatKeyPath(problem.path))] : []))
    const problems = wrong.flatMap((each) => ("known" in each ? [] : [`${formatKeyPath(each.path)}: expected ${each.expected}.`]))
    if (unknown.length > 0) problems.push(`unknown option ${unknown.join(", ")} of the plugin "lorebook".`)
    throw new PromptStrataError("plugin", problems.join("\n"))
  }
  const { type, keys } = profileFileKeys.keys.lorebook
  const { files, ...lore } = withDefaults(keys, inCamelCase(type, options) as object)
  const paths = files.map((file) => resolve(folder, file))
  return lorebookPlugin(paths, lore, { locale })
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
    const json = cardJson(bytesAt(path, file, { maxBytes, kind: "lorebook" }), maxBytes, "the file")
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
