import type { Position } from "../core/source.ts"

/**
 * Turns UTF-16 offsets of a text on disk, in ascending order, into positions, in time linear in the text. Lines end at `\n`, `\r\n` or
 * `\r`; columns count code points; a byte order mark is no column.
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
