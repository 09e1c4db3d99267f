import { isLineBreak } from "./line-breaks.ts"

/** A file, or some of its lines. In text it is written `%[path]` or `%[path] Line 3 ~ Line 8` (R8). Lines count from 1. */
export interface FileReference {
  readonly path: string
  readonly lines?: { readonly from: number; readonly to: number }
}

/**
 * Writes a reference as one line of text. In its path brackets and backslashes get a `\`, and line breaks become `\u{…}`.
 * Inverse: `createFileReferenceReader`, for every path that is not blank and, as written, not longer than
 * {@link maxPathLength}.
 */
export function formatFileReference({ path, lines }: FileReference): string {
  return `%[${encodePath(path)}]${lines === undefined ? "" : ` Line ${lines.from} ~ Line ${lines.to}`}`
}

/** The longest path that is read as one, in UTF-16 units as it is written. */
export const maxPathLength = 1_024

/** Decodes a path that {@link formatFileReference} wrote. A backslash before another character stays, as in `C:\a.txt`. */
export function decodePath(written: string): string {
  return written.replace(
    /\\(?:u\{([0-9a-f]{1,4})\}|([[\]\\]))/g,
    (_found, code: string | undefined, plain: string | undefined) =>
      code === undefined ? (plain ?? "") : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function encodePath(path: string): string {
  let encoded = ""
  for (const unit of path.split("")) {
    if (isLineBreak(unit.charCodeAt(0))) encoded += `\\u{${unit.charCodeAt(0).toString(16)}}`
    else encoded += unit === "[" || unit === "]" || unit === "\\" ? `\\${unit}` : unit
  }
  return encoded
}
