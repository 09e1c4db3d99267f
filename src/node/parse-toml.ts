import { parse, TomlError } from "smol-toml"
import { messageOf, type PromptStrataError } from "../core/errors.ts"
import { locatedError } from "../core/evidence/located-error.ts"
import { positionAt } from "../core/source.ts"
import { locateToml, type TomlNode } from "./toml-positions.ts"

/** Deeper than any profile, and safe for the call stack. */
const maxDepth = 100

/** A TOML document as data, and the places of its parts. */
export type TomlDocument = { readonly data: Readonly<Record<string, unknown>>; readonly positions: TomlNode }

/** Parses TOML without a byte order mark. A mistake throws `profile` with line, column and caret. */
export function parseToml(text: string, file: string): TomlDocument {
  try {
    return { data: parse(text, { maxDepth }), positions: locateToml(text) }
  } catch (error) {
    throw syntaxError(error, text, file)
  }
}

function syntaxError(error: unknown, text: string, file: string): PromptStrataError {
  const said = messageOf(error).split("\n", 1)[0] ?? ""
  const offset = error instanceof TomlError ? offsetAt(text, error) : 0
  const fault = said.replace(/^Invalid TOML document: /, "")
  const evidence = { kind: fault.startsWith("trying to redefine") ? ("duplicate-key" as const) : undefined }
  const message = inPlainWords(fault, text[offset])
  return locatedError("profile", message, { file, text, position: positionAt(text, offset), cause: error, evidence })
}

/** Characters of a keyboard for Chinese, and the one of another format, with those of TOML that are meant. */
const meantCharacters = { "“": '"', "”": '"', "‘": "'", "’": "'", "【": "[", "】": "]", "：": "=", ":": "=" }

/** The parser's own message, but a clearer one for the most common mistakes. */
function inPlainWords(fault: string, character: string | undefined): string {
  if (fault.startsWith("trying to redefine")) return "expected each key and table once, found this a second time."
  if (fault.startsWith("control characters") && (character === "\n" || character === "\r"))
    return "expected a string to be closed on its line, found the line's end."
  const meant = (character && meantCharacters[character as keyof typeof meantCharacters]) ?? character?.normalize("NFKC")
  if (meant !== character) return `expected the character ${meant}, found ${character}.`
  if (fault === "invalid value") return "expected a value: text in quotes, a number, true, false, [ or {."
  return `expected TOML: ${fault}.`
}

/** The offset of a syntax error. smol-toml counts columns in UTF-16 units and ends lines only at `\n`. */
function offsetAt(text: string, { line, column }: TomlError): number {
  let start = 0
  for (let number = 1; number < line; number++) start = text.indexOf("\n", start) + 1
  return Math.min(text.length, start + column - 1)
}
