import type { Position } from "../core/source.ts"
import type { LintFile } from "./rule.ts"

/** A line of a file: its text without the line break, its number, and the UTF-16 offset at which it begins. */
export type TextLine = { readonly text: string; readonly line: number; readonly offset: number }

/** The lines of a text as it is on disk. A line ends at `\r\n`, `\n` or `\r`. The byte order mark is not part of the first line. */
function* textLines(text: string): Generator<TextLine> {
  let offset = text.startsWith("\uFEFF") ? 1 : 0
  for (let line = 1; offset <= text.length; line++) {
    let end = offset
    while (end < text.length && text[end] !== "\n" && text[end] !== "\r") end++
    yield { text: text.slice(offset, end), line, offset }
    offset = end + (text.startsWith("\r\n", end) ? 2 : 1)
  }
}

/** The lines below a file's front matter; all lines if it has none. */
export function* bodyLines({ text, source }: LintFile): Generator<TextLine> {
  const firstLine = source?.firstLine ?? 1
  for (const line of textLines(text)) if (line.line >= firstLine) yield line
}

/** The 1-based column of a UTF-16 index into a line: columns count code points. */
export function columnAt(line: string, index: number): number {
  return [...line.slice(0, index)].length + 1
}

/** A file's text, and what is known of its front matter. */
type FrontedText = { readonly text: string; readonly source?: { readonly firstLine: number } | undefined }

/** The position of a top-level key in a file's front matter; the beginning of the file if it has no such key. */
export function keyPosition({ text, source }: FrontedText, key: string): Position {
  const end = source?.firstLine ?? 1
  for (const { text: words, line } of textLines(text)) {
    if (line >= end) break
    const bare = words.replace(/^["']/, "")
    if (bare.startsWith(key) && /^["']?[ \t]*:/.test(bare.slice(key.length, key.length + 20)))
      return { line, column: words.length - bare.length + 1 }
  }
  return { line: 1, column: 1 }
}

/**
 * Turns ascending UTF-16 offsets of a text on disk into positions, in time linear in the text. Lines end as in {@link textLines};
 * columns count code points; a byte order mark counts as no column.
 */
export function ascendingLocator(text: string): (offset: number) => Position {
  let at = text.startsWith("\uFEFF") ? 1 : 0
  let line = 1
  let column = 1
  return (offset) => {
    while (at < offset) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
      at += character.length
      const endsLine = character === "\n" || (character === "\r" && text[at] !== "\n")
      line += endsLine ? 1 : 0
      column = endsLine ? 1 : column + 1
    }
    return { line, column }
  }
}
