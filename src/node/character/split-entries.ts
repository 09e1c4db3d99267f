import { readYamlMapping } from "../front-matter.ts"
import { type AuthoredFile, keyFault } from "./authored-file.ts"

/** The longest front matter of an entry, in UTF-16 units. */
const maxFrontMatter = 16_384

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
 * Parts a file of a world book into its entries: each begins with front matter between two lines `---` and ends where the next
 * one begins. A rule across a text is written `***`. Mistakes throw located errors with code `front-matter`.
 */
export function splitEntries({ file, whole }: AuthoredFile): readonly FileEntry[] {
  const lines = whole.split("\n")
  const starts = offsetsOf(lines)
  const rules = lines.flatMap((line, at) => (line.trimEnd() === "---" ? [at] : []))
  const outside = lines.slice(0, rules[0] ?? lines.length).findIndex((line) => line.trim() !== "")
  if (outside >= 0 || rules.length === 0)
    throw keyFault("expected an entry, which begins with front matter between two lines ---, found none.", "", {
      file,
      whole,
      fromLine: outside + 1,
    })
  return openingsOf(rules).map(({ opening, closing, end }) => {
    const line = opening + 1
    if (closing === undefined)
      throw keyFault("expected a line --- that ends the front matter of this entry, found none.", "---", {
        file,
        whole,
        fromLine: line,
      })
    const block = lines.slice(opening + 1, closing).join("\n")
    if (block.length > maxFrontMatter)
      throw keyFault(`expected front matter of at most ${maxFrontMatter} characters, found ${block.length}.`, "---", {
        file,
        whole,
        fromLine: line,
      })
    return {
      attributes: readYamlMapping(block, { file, whole, offset: starts[opening + 1] ?? 0 }),
      body: lines.slice(closing + 1, end).join("\n"),
      firstLine: closing + 2,
      line,
    }
  })
}

/** Every other rule opens an entry, the one after it closes the entry's front matter; `end` is where the next one opens. */
function openingsOf(rules: readonly number[]) {
  return rules.flatMap((opening, nth) => (nth % 2 === 0 ? [{ opening, closing: rules[nth + 1], end: rules[nth + 2] }] : []))
}

function offsetsOf(lines: readonly string[]): number[] {
  let offset = 0
  return lines.map((line) => {
    const start = offset
    offset += line.length + 1
    return start
  })
}
