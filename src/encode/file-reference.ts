import { isLineBreak } from "./line-breaks.ts"

/** A file, or some of its lines, as it is named in text (R8): `%[path]`, `%[path] Line 3 ~ Line 8`. Lines count from 1. */
export interface FileReference {
  readonly path: string
  readonly lines?: { readonly from: number; readonly to: number }
}

/**
 * The reference as one line of text, whatever its path holds: brackets and backslashes in it get a `\`, line breaks are written
 * `\u{…}`. Inverse: `createFileReferenceReader`, for every path that is not blank and no longer than {@link maxPathLength}.
 */
export function formatFileReference({ path, lines }: FileReference): string {
  return `%[${encodePath(path)}]${lines === undefined ? "" : ` Line ${lines.from} ~ Line ${lines.to}`}`
}

/** No longer path, as it is written, is read as one. */
export const maxPathLength = 1_024

/** A path as {@link formatFileReference} writes it; a backslash before another character stands for itself, as in `C:\a.txt`. */
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
