/** A place in an authored file: the line and, if it is known, the column, both counted from 1. */
export interface Source {
  readonly file: string
  readonly line: number
  readonly column?: number
}

/** A 1-based position in a text. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The position of `offset` (UTF-16 units) in `text`; columns count code points, lines end at `\n`, `\r\n` or `\r`. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const lines = before.split(/\r\n|\n|\r/)
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 }
}

/** `file:line:column`, or `file:line` if the column is unknown. */
export function formatSource(source: Source): string {
  return source.column === undefined ? `${source.file}:${source.line}` : `${source.file}:${source.line}:${source.column}`
}
