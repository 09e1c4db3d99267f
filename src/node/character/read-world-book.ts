import { readdirSync } from "node:fs"
import { join, sep } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import type { WorldBookEntry } from "../../layers/character/world-book.ts"
import { normalizeText } from "../../template/scanner.ts"
import { noteFolders } from "../file-log.ts"
import { isFolder } from "../is-folder.ts"
import { findInRoots } from "../prompt-roots.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { maxCharacterBytes } from "./authored-file.ts"
import { splitEntries } from "./split-entries.ts"
import { worldBookEntry } from "./world-book-entry.ts"

/** More would be read at each start and looked through in each turn. */
const maxEntries = 5_000

/** Reads a world book: a file with entries, or a folder of such files in the order of their paths. Hidden files are passed over. */
export function readWorldBook(path: string): readonly WorldBookEntry[] {
  const entries: WorldBookEntry[] = []
  for (const file of isFolder(path) ? filesIn(path) : [path]) {
    entries.push(...entriesIn(file))
    if (entries.length > maxEntries)
      throw new PromptStrataError(
        "file",
        `expected a world book of at most ${maxEntries} entries, found more in ${displayPath(path)}.`,
      )
  }
  return entries
}

function filesIn(folder: string): string[] {
  noteFolders(folder)
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
  const shown = paths.map((path) => path.split(sep)).filter((parts) => parts.every((part) => !part.startsWith(".")))
  const files = shown.map((parts) => parts.join("/")).filter((path) => path.endsWith(".md"))
  if (files.length === 0)
    throw new PromptStrataError("prompt-missing", `expected a world book, found no .md file in ${displayPath(folder)}.`)
  return files.sort().map((path) => findInRoots(path, { folder, roots: [folder] })?.path ?? join(folder, path))
}

function entriesIn(path: string): WorldBookEntry[] {
  const file = displayPath(path)
  const whole = normalizeText(readTextFile(path, file, { maxBytes: maxCharacterBytes, kind: "world book" }))
  return splitEntries({ file, whole }).map((entry) => worldBookEntry(entry, { file, whole }))
}
