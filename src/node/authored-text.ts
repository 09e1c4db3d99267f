import { locatedError, type PromptStrataError } from "../core/errors.ts"
import { positionAt } from "../core/source.ts"
import { didYouMean } from "../core/suggest.ts"
import type { Text } from "../core/value.ts"
import { hasLineBreak } from "../encode/line-breaks.ts"
import { parseFrontMatter } from "./front-matter.ts"
import { readTextFile } from "./read-text-file.ts"
import { displayPath } from "./shipped-files.ts"

/** The largest persona, format or system text: 256 KiB. It stands whole in every prompt. */
const maxBytes = 256 * 1024

/** A text that is injected whole, and what its front matter says. */
interface WholeText<A extends string, L extends string = never> {
  /** Author text without front matter and without blank lines at its ends. */
  readonly text: Text
  readonly attributes: { readonly [K in A]?: string } & { readonly [K in L]?: readonly string[] }
  /** An error about a key of the front matter, with its place. */
  readonly faultAt: (key: A | L, message: string) => PromptStrataError
}

/**
 * Reads a persona or another text that is injected whole (L3, L4). Front matter may hold only `attributes`, each one line of
 * text, and `lists` of such lines.
 */
export function readWholeText<A extends string, L extends string = never>(
  path: string,
  { kind, attributes, lists = [] }: { kind: string; attributes: readonly A[]; lists?: readonly L[] },
): WholeText<A, L> {
  const file = displayPath(path)
  const whole = readTextFile(path, file, { maxBytes, kind })
  const { attributes: found, body, firstLine } = parseFrontMatter(whole, file)
  for (const [key, value] of Object.entries(found))
    checkAttribute(key, value, { kind, known: [...attributes, ...lists], lists, file, whole })
  const text = body.trimEnd()
  const blankLines = /^(?:[^\S\n]*\n)*/.exec(text)?.[0] ?? ""
  const line = firstLine + blankLines.split("\n").length - 1
  return {
    text: { text: text.slice(blankLines.length), trust: "author", source: { file, line } },
    attributes: found as WholeText<A, L>["attributes"],
    faultAt: (key, message) => fault(`${key}: ${message}`, key, { file, whole }),
  }
}

interface AttributePlace {
  readonly kind: string
  readonly known: readonly string[]
  /** Of these, what holds lists. */
  readonly lists: readonly string[]
  readonly file: string
  readonly whole: string
}

function checkAttribute(key: string, value: unknown, place: AttributePlace): void {
  const { kind, known } = place
  if (!known.includes(key)) {
    const expected = known.length > 0 ? `may hold ${known.join(" and ")}` : "holds no keys"
    throw fault(
      `unknown key ${JSON.stringify(key)}: the front matter of a ${kind} ${expected}.${didYouMean(key, known)}`,
      key,
      place,
    )
  }
  if (place.lists.includes(key)) {
    if (Array.isArray(value) && value.every(isLine)) return
    throw fault(`${key}: expected a list of words, each on one line, found ${JSON.stringify(value)}.`, key, place)
  }
  if (isLine(value)) return
  throw fault(`${key}: expected one line of text that is not blank, found ${JSON.stringify(value)}.`, key, place)
}

function isLine(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "" && !hasLineBreak(value)
}

function fault(message: string, key: string, { file, whole }: Pick<AttributePlace, "file" | "whole">): PromptStrataError {
  const lines = whole.split(/\r\n|\n|\r/)
  const at = lines.findIndex((line) => line.startsWith(key))
  return locatedError("front-matter", message, { file, text: whole, position: { line: Math.max(0, at) + 1, column: 1 } })
}

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
