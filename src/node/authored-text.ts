import type { PromptStrataError } from "../core/errors.ts"
import { locatedError } from "../core/evidence/located-error.ts"
import { positionAt } from "../core/source.ts"
import { didYouMean } from "../core/suggest.ts"
import type { TrustedText } from "../core/value.ts"
import { hasLineBreak } from "../prompt/encode/line-breaks.ts"
import { parseFrontMatter } from "./front-matter.ts"
import { readTextFile } from "./read-text-file.ts"
import { displayPath } from "./shipped-files.ts"

/** The largest authored file: 256 KiB. Most of them stand whole in every prompt. */
const maxBytes = 256 * 1024

/** A file that an author wrote. */
export interface AuthoredFile {
  /** Its path as people read it. */
  readonly file: string
  /** Its whole text. */
  readonly whole: string
}

/** Reads an authored file of at most 256 KiB. `kind` names it in messages. Throws as {@link readTextFile} does. */
export function readAuthoredFile(path: string, kind: string): AuthoredFile {
  const file = displayPath(path)
  return { file, whole: readTextFile(path, file, { maxBytes, kind }) }
}

/** A text that is injected whole, and its front matter. */
export interface WholeText<A extends string, L extends string = never> {
  /** Author text without front matter and without blank lines at its ends. */
  readonly text: TrustedText
  readonly attributes: { readonly [K in A]?: string } & { readonly [K in L]?: readonly string[] }
  /** Makes an error about a key of the front matter, with its place. */
  readonly faultAt: (key: A | L, message: string) => PromptStrataError
}

/**
 * Reads a persona or another text that is injected whole (L3, L4). Front matter may hold only `attributes`, each one line of
 * text, and `lists` of such lines. Other front matter throws a located error with code `front-matter`.
 */
export function readWholeText<A extends string, L extends string = never>(
  path: string,
  { kind, attributes, lists = [] }: { kind: string; attributes: readonly A[]; lists?: readonly L[] },
): WholeText<A, L> {
  const place = readAuthoredFile(path, kind)
  const { attributes: found, body, firstLine } = parseFrontMatter(place.whole, place.file)
  const allowed = { kind, known: [...attributes, ...lists], lists }
  for (const [key, value] of Object.entries(found)) {
    const message = attributeFault(key, value, allowed)
    if (message !== undefined) throw keyFault(message, key, place)
  }
  return {
    text: { ...placedText(body, { file: place.file, firstLine }), trust: "author" },
    attributes: found as WholeText<A, L>["attributes"],
    faultAt: (key, message) => keyFault(`${key}: ${message}`, key, place),
  }
}

/** Reads a text that is injected whole and has no front matter. */
export function readPlainText(path: string, kind: string): TrustedText {
  return readWholeText(path, { kind, attributes: [] }).text
}

function attributeFault(
  key: string,
  value: unknown,
  { kind, known, lists }: { readonly kind: string; readonly known: readonly string[]; readonly lists: readonly string[] },
): string | undefined {
  if (!known.includes(key)) {
    const expected = known.length > 0 ? `may hold ${known.join(", ")}` : "holds no keys"
    return `unknown key ${JSON.stringify(key)}: the front matter of a ${kind} ${expected}.${didYouMean(key, known)}`
  }
  if (lists.includes(key)) {
    if (Array.isArray(value) && value.every(isOneLine)) return undefined
    return `${key}: expected a list of words, each on one line, found ${JSON.stringify(value)}.`
  }
  if (isOneLine(value)) return undefined
  return `${key}: expected one line of text that is not blank, found ${JSON.stringify(value)}.`
}

/** The body of a file as author text with its place, without white space at its ends. `firstLine` is the line of the body. */
export function bodyText(body: string, { file, firstLine }: { readonly file: string; readonly firstLine: number }): TrustedText {
  const line = firstLine + positionAt(body, body.length - body.trimStart().length).line - 1
  return { text: body.trim(), trust: "author", source: { file, line } }
}

/** A body without blank lines at its ends, and its place. The first line that is not blank keeps its indentation. */
export function placedText(
  body: string,
  { file, firstLine }: { readonly file: string; readonly firstLine: number },
): Required<Pick<TrustedText, "text" | "source">> {
  const whole = body.trimEnd()
  const blankLines = /^(?:[^\S\n]*\n)*/.exec(whole)?.[0] ?? ""
  const line = firstLine + blankLines.split("\n").length - 1
  return { text: whole.slice(blankLines.length), source: { file, line } }
}

/** An error about a key of front matter, on the first line from `fromLine` on that begins with the key. */
export function keyFault(message: string, key: string, { file, whole }: AuthoredFile, fromLine = 1): PromptStrataError {
  const lines = whole.split(/\r\n|\n|\r/)
  const at = lines.findIndex((line, index) => index + 1 >= fromLine && line.startsWith(key))
  const position = { line: at < 0 ? Math.max(1, fromLine) : at + 1, column: 1 }
  return locatedError("front-matter", message, { file, text: whole, position })
}

/** True for one line of text that is not blank. */
export function isOneLine(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !hasLineBreak(value)
}

/** A value for an error message: JSON of at most 80 characters. */
export function foundValue(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80)
}
