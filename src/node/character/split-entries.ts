import { normalizeText } from "../../template/normalize.ts"
import { splitFrontMatter } from "../front-matter.ts"
import { readYamlMapping } from "../yaml-data.ts"
import { keyFault } from "./authored-file.ts"

/** One entry of a world book as it stands in its file. */
export interface FileEntry {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly body: string
  /** The file's line on which the body begins. */
  readonly firstLine: number
  /** The line of the entry's first `---`. */
  readonly line: number
}

/**
 * Parts a file of a world book into its entries: each begins with front matter between two lines `---`, and ends where the next
 * one begins. A rule across a text is written `***`. Mistakes throw located errors with code `front-matter`.
 */
export function splitEntries(text: string, file: string): readonly FileEntry[] {
  const whole = normalizeText(text)
  const lines = whole.split("\n")
  const rules = lines.flatMap((line, at) => (line.trimEnd() === "---" ? [at] : []))
  const openings = rules.filter((_, nth) => nth % 2 === 0)
  const before = lines.slice(0, openings[0] ?? lines.length).findIndex((line) => line.trim() !== "")
  if (before >= 0 || openings.length === 0)
    throw keyFault("expected an entry to begin with front matter between two lines ---, found something else.", "", {
      file,
      whole,
      fromLine: Math.max(0, before) + 1,
    })
  return openings.map((opening, nth) => {
    const end = openings[nth + 1] ?? lines.length
    if (rules[2 * nth + 1] === undefined)
      throw keyFault("expected a line --- that ends the front matter of this entry, found none.", "---", {
        file,
        whole,
        fromLine: opening + 1,
      })
    // Blank lines stand for what is above, so that places are those of the file.
    const { block = "", ...split } = splitFrontMatter("\n".repeat(opening) + lines.slice(opening, end).join("\n"), file, {
      blankLines: true,
    })
    const start = lines.slice(0, opening + 1).join("\n").length
    const attributes = readYamlMapping(`\n${block}`, { file, whole, offset: start })
    return { attributes, body: split.body, firstLine: split.firstLine, line: opening + 1 }
  })
}
