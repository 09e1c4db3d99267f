import { locatedError, type PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import type { Text } from "../core/value.ts"
import { hasLineBreak } from "../encode/line-breaks.ts"
import { parseFrontMatter } from "./front-matter.ts"
import { readTextFile } from "./read-text-file.ts"
import { displayPath } from "./shipped-files.ts"

/** The largest persona, format or system text: 256 KiB. It stands whole in every prompt. */
const maxBytes = 256 * 1024

/** A text that is injected whole, and what its front matter says. */
export interface WholeText<A extends string> {
  /** Author text without front matter and without blank lines at its ends. */
  readonly text: Text
  readonly attributes: { readonly [K in A]?: string }
}

/** Reads a persona or another text that is injected whole (L3, L4). Front matter may hold only `attributes`, each one line of text. */
export function readWholeText<A extends string>(
  path: string,
  { kind, attributes }: { kind: string; attributes: readonly A[] },
): WholeText<A> {
  const file = displayPath(path)
  const whole = readTextFile(path, file, { maxBytes, kind })
  const { attributes: found, body, firstLine } = parseFrontMatter(whole, file)
  for (const [key, value] of Object.entries(found)) checkAttribute(key, value, { kind, known: attributes, file, whole })
  const text = body.trimEnd()
  const blankLines = /^(?:[^\S\n]*\n)*/.exec(text)?.[0] ?? ""
  const line = firstLine + blankLines.split("\n").length - 1
  return {
    text: { text: text.slice(blankLines.length), trust: "author", source: { file, line } },
    attributes: found as WholeText<A>["attributes"],
  }
}

interface AttributePlace {
  readonly kind: string
  readonly known: readonly string[]
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
  if (typeof value === "string" && value.trim() !== "" && !hasLineBreak(value)) return
  throw fault(`${key}: expected one line of text that is not blank, found ${JSON.stringify(value)}.`, key, place)
}

function fault(message: string, key: string, { file, whole }: AttributePlace): PromptStrataError {
  const lines = whole.split(/\r\n|\n|\r/)
  const at = lines.findIndex((line) => line.startsWith(key))
  return locatedError("front-matter", message, { file, text: whole, position: { line: Math.max(0, at) + 1, column: 1 } })
}
