import { checkType } from "../../core/check-options.ts"
import { isLineBreak } from "./line-breaks.ts"

/** A file, or some of its lines. In text it is written `%[path]` or `%[path] Line 3 ~ Line 8` (R8). Lines count from 1. */
export interface FileReference {
  readonly path: string
  readonly lines?: { readonly from: number; readonly to: number } | undefined
}

/**
 * Writes a reference as one line of text. In its path square brackets and backslashes get a `\`. Line breaks, white space at either
 * end, and angle brackets that open and look-alikes, with which a tag or a token of a chat template would begin, become `\u{…}`.
 * Inverse: `createFileReferenceReader`, which reads an empty path, and one that as written is longer than {@link maxPathLength},
 * as words.
 */
export function formatFileReference(reference: FileReference): string {
  checkType("the path of formatFileReference", reference?.path, "string")
  const { path, lines } = reference
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
  const [from, to] = [path.length - path.trimStart().length, path.trimEnd().length]
  for (const [at, unit] of path.split("").entries()) {
    const isHidden = at < from || at >= to || isLineBreak(unit.charCodeAt(0)) || "<≮﹤＜﹇［".includes(unit)
    if (isHidden) encoded += `\\u{${unit.charCodeAt(0).toString(16)}}`
    else encoded += unit === "[" || unit === "]" || unit === "\\" ? `\\${unit}` : unit
  }
  return encoded
}
