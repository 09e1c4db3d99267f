import { checkType } from "../../core/check-options.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import type { Position } from "../../core/source.ts"

/** Prepares an authored text for the parsers: removes the byte order mark and turns `\r\n` and `\r` into `\n`. */
export function normalizeText(text: string): string {
  const unmarked = text.startsWith("\uFEFF") ? text.slice(1) : text
  return unmarked.includes("\r") ? unmarked.replaceAll(/\r\n?/g, "\n") : unmarked
}

/** Makes any text a literal: parsed as a template, the result prints `text` and nothing else, also inside a branch (R1). */
export function escapeTemplate(text: string): string {
  checkType("the text of escapeTemplate", text, "string")
  return text.replaceAll(/\$\{|[:}]/g, "$$$&")
}

/** A text and how far it was read. */
export interface Scanner {
  readonly text: string
  /** UTF-16 offset of what is read next. */
  at: number
  /** How many characters were looked at so far. Stays proportional to the length of any text. */
  steps: number
}

/** A scanner at the beginning of a text. */
export function createScanner(text: string): Scanner {
  return { text, at: 0, steps: 0 }
}

/**
 * Reads literal text up to `${`, one of the `stops` or the end, and resolves the escapes `$${`, `$:` and `$}`.
 * Any other `$` is a `$`.
 */
export function scanLiteral(scanner: Scanner, stops: "" | "}" | ":}"): string {
  const { text } = scanner
  const pieces: string[] = []
  const start = scanner.at
  const special = specials[stops]
  let from = start
  let at = start
  for (; at < text.length; at++) {
    special.lastIndex = at
    at = special.exec(text)?.index ?? text.length
    if (text[at] !== "$" || text[at + 1] === "{") break
    const escaped = escapedAt(text, at)
    if (escaped === undefined) continue
    pieces.push(text.slice(from, at), escaped)
    at += escaped.length
    from = at + 1
  }
  pieces.push(text.slice(from, at))
  scanner.at = at
  scanner.steps += at - start + 1
  return pieces.join("")
}

/** By stops, the characters at which literal text may end. */
const specials = { "": /\$/g, "}": /[$}]/g, ":}": /[$:}]/g } as const

function escapedAt(text: string, dollar: number): string | undefined {
  const next = text[dollar + 1]
  if (next === ":" || next === "}") return next
  return next === "$" && text[dollar + 2] === "{" ? "${" : undefined
}

/** Reads the match of `pattern`, a sticky expression, at this place; `""` when there is none. */
export function scanPattern(scanner: Scanner, pattern: RegExp): string {
  pattern.lastIndex = scanner.at
  const found = pattern.exec(scanner.text)?.[0] ?? ""
  scanner.at += found.length
  scanner.steps += found.length + 1
  return found
}

const blank = /[ \t\n]*/y

/** Skips white space, line breaks too. */
export function skipBlank(scanner: Scanner): void {
  scanPattern(scanner, blank)
}

/** Turns offsets into lines and columns. Offsets in ascending order cost no more than one walk through the text. */
export function createLocator(scanner: Scanner, firstLine: number): (offset: number) => Position {
  let at = 0
  let line = firstLine
  let column = 1
  return (offset) => {
    if (offset < at) [at, line, column] = [0, firstLine, 1]
    scanner.steps += offset - at
    const lines = scanner.text.slice(at, offset).split("\n")
    if (lines.length > 1) {
      line += lines.length - 1
      column = 1
      at = offset - (lines.at(-1)?.length ?? 0)
    }
    for (; at < offset; at++) if (!isSecondHalf(scanner.text, at)) column++
    return { line, column }
  }
}

/** True for the low half of a surrogate pair: columns count code points. */
function isSecondHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 0xdc00 || code > 0xdfff || at === 0) return false
  const before = text.charCodeAt(at - 1)
  return before >= 0xd800 && before <= 0xdbff
}

const anyName = lazyPattern(String.raw`[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*`, "uy")
/** A name of ASCII alone. The classes of the other pattern take a millisecond to compile. */
const asciiName = /[\w-]+(?:\.[\w-]+)*(?![\w.\-\u0080-\uffff])/y

/** Reads a name: letters of any script, digits, `_` and `-`, with dots between them; `""` where there is none. */
export function scanName(scanner: Scanner): string {
  asciiName.lastIndex = scanner.at
  return scanPattern(scanner, asciiName.test(scanner.text) ? asciiName : anyName())
}
