import { basename, extname } from "node:path"
import { readLorebook } from "../../../node/cards/lorebook-file.ts"
import { createLoreScanner } from "../../../prompt/layers/lorebook/scan.ts"
import { type CharacterLocale, characterId } from "../commands/scaffold.ts"
import type { Foreign } from "./find-kind.ts"
import type { ImportedFiles } from "./imported-files.ts"

interface LorebookImport {
  readonly file: string
  readonly found: Extract<Foreign, { readonly kind: "lorebook" }>
  readonly locale: CharacterLocale
}

/** A lorebook beside a profile that has it. The file stays as it is: nothing of it is lost, and JSON is still a stranger's text. */
export function filesOfLorebook({ file, found, locale }: LorebookImport): ImportedFiles {
  const { book, warnings } = readLorebook(file)
  const id = characterId("", basename(file, extname(file)))
  const path = `lore/${id}.${found.ending}`
  const refused = createLoreScanner(book).refused.map(
    ({ entry, key, reason }) => `entry ${JSON.stringify(entry.slice(0, 60))}: the pattern ${key} is not used: ${reason}.`,
  )
  const profile = [
    `# A lorebook. Another profile takes it with extends = "./${id}.toml", or with the lines of [lorebook].\n\nlocale = ${JSON.stringify(locale)}\n`,
    '[agent]\nname = "Lore"\n',
    `[lorebook]\nfiles = ["../${path}"]\n`,
  ].join("\n")
  return {
    name: id,
    what: `A lorebook with ${book.entries.length} ${book.entries.length === 1 ? "entry" : "entries"}: ${path}, and profiles/${id}.toml, which others extend.`,
    files: new Map([
      [path, found.text],
      [`profiles/${id}.toml`, profile],
    ]),
    report: [...warnings, ...refused],
  }
}
