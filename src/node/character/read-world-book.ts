import { readdirSync } from "node:fs"
import { join, sep } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import type { LoreEntry } from "../../prompt/layers/lorebook/lorebook.ts"
import { normalizeText } from "../../prompt/template/scanner.ts"
import { type AuthoredFile, keyFault, readAuthoredFile } from "../authored-text.ts"
import { isFolder, noteFolders } from "../file-log.ts"
import { checkLength, readYamlMapping } from "../front-matter.ts"
import { lineStarts } from "../line-starts.ts"
import { findInRoots } from "../load-prompts.ts"
import { displayPath } from "../shipped-files.ts"
import { type FileEntry, worldBookEntry } from "./world-book-entry.ts"

/** Every entry is read at each start and searched in each turn. */
const maxEntries = 5_000

/** Reads a world book: a file with entries, or a folder of such files in the order of their paths. Hidden files are skipped. */
export function readWorldBook(path: string): readonly LoreEntry[] {
  const entries: LoreEntry[] = []
  for (const file of isFolder(path) ? filesIn(path) : [path]) {
    const found = readAuthoredFile(file, "world book")
    const place = { ...found, whole: normalizeText(found.whole) }
    entries.push(...splitEntries(place).map((entry) => worldBookEntry(entry, place)))
    if (entries.length > maxEntries)
      throw new PromptStrataError(
        "file",
        `expected a world book of at most ${maxEntries} entries, found more in ${displayPath(path)}.`,
      )
  }
  return withOwnIds(entries)
}

/** Timed state is kept under an entry's id, so it is the entry's name, which stays while others are edited. */
function withOwnIds(entries: readonly LoreEntry[]): readonly LoreEntry[] {
  const times = new Map<string, number>()
  return entries.map((entry) => {
    const nth = (times.get(entry.id) ?? 0) + 1
    times.set(entry.id, nth)
    return nth === 1 ? entry : { ...entry, id: `${entry.id} (${nth})` }
  })
}

function filesIn(folder: string): string[] {
  noteFolders(folder)
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
  const visible = paths.map((path) => path.split(sep)).filter((parts) => parts.every((part) => !part.startsWith(".")))
  const files = visible.map((parts) => parts.join("/")).filter((path) => path.endsWith(".md"))
  if (files.length === 0)
    throw new PromptStrataError("prompt-missing", `expected a world book, found no .md file in ${displayPath(folder)}.`)
  return files.sort().map((path) => findInRoots(path, { folder, roots: [folder] })?.path ?? join(folder, path))
}

/**
 * Splits a file of a world book into its entries. An entry begins with front matter between two lines `---` and ends where the
 * next one begins. A horizontal rule in a text is written `***`. Mistakes throw located errors with code `front-matter`.
 */
function splitEntries(place: AuthoredFile): readonly FileEntry[] {
  const lines = place.whole.split("\n")
  const offsets = lineStarts(place.whole)
  const fail = (message: string, line: number, key = "---") => keyFault(message, key, place, line)
  const rules = lines.flatMap((line, at) => (line.trimEnd() === "---" ? [at] : []))
  const outside = lines.slice(0, rules[0] ?? lines.length).findIndex((line) => line.trim() !== "")
  if (outside >= 0 || rules.length === 0)
    throw fail("expected an entry, which begins with front matter between two lines ---, found none.", outside + 1, "")
  // Every other rule opens an entry. The one after it closes the entry's front matter.
  const openings = rules.filter((_, nth) => nth % 2 === 0)
  return openings.map((opening, nth) => {
    const line = opening + 1
    const closing = rules[2 * nth + 1]
    if (closing === undefined) throw fail("expected a line --- that ends the front matter of this entry, found none.", line)
    const block = lines.slice(line, closing).join("\n")
    checkLength(block, (message) => fail(message, line))
    return {
      attributes: readYamlMapping(block, { ...place, offset: offsets[line] ?? 0 }),
      body: lines.slice(closing + 1, openings[nth + 1]).join("\n"),
      firstLine: closing + 2,
      line,
    }
  })
}
