import { locatedError, type PromptStrataError } from "../../core/errors.ts"
import { positionAt } from "../../core/source.ts"
import type { Text } from "../../core/value.ts"

/** The largest file of a character: 256 KiB. */
export const maxCharacterBytes = 256 * 1024

/** A file for messages about places in it; `whole` has `\n` for every line break. */
export interface AuthoredFile {
  readonly file: string
  readonly whole: string
}

/** A body without blank lines at its ends, as an author's text with its place; `firstLine` is the body's in the file. */
export function bodyText(body: string, { file, firstLine }: { readonly file: string; readonly firstLine: number }): Text {
  const start = body.length - body.trimStart().length
  const { line } = positionAt(body, start)
  return { text: body.trim(), trust: "author", source: { file, line: firstLine + line - 1 } }
}

/** An error about a key of front matter, on the line where it begins at or after `fromLine`. */
export function keyFault(
  message: string,
  key: string,
  { file, whole, fromLine = 1 }: AuthoredFile & { readonly fromLine?: number },
): PromptStrataError {
  const lines = whole.split("\n")
  const at = lines.findIndex((line, index) => index + 1 >= fromLine && line.startsWith(key))
  return locatedError("front-matter", message, {
    file,
    text: whole,
    position: { line: at < 0 ? Math.max(1, fromLine) : at + 1, column: 1 },
  })
}
