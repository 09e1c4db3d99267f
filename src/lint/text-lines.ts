import type { LintFile } from "./context.ts"

/** A line of a file: its text without the line break, its number, and where it begins (UTF-16 offset). */
export interface TextLine {
  readonly text: string
  readonly line: number
  readonly offset: number
}

/** The lines of a text as it is on disk; `\r\n`, `\n` and `\r` end one. The byte order mark is no part of the first. */
export function* textLines(text: string): Generator<TextLine> {
  let offset = text.startsWith("\uFEFF") ? 1 : 0
  for (let line = 1; offset <= text.length; line++) {
    const end = lineEnd(text, offset)
    yield { text: text.slice(offset, end), line, offset }
    offset = end + (text.startsWith("\r\n", end) ? 2 : 1)
  }
}

/** The lines below a file's front matter; all of them where it has none. */
export function* bodyLines({ text, source }: LintFile): Generator<TextLine> {
  const firstLine = source?.firstLine ?? 1
  for (const line of textLines(text)) if (line.line >= firstLine) yield line
}

/** The 1-based column of a UTF-16 index into a line: columns count code points. */
export function columnAt(line: string, index: number): number {
  return [...line.slice(0, index)].length + 1
}

function lineEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++
  return at
}
