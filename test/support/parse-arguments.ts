import { PromptStrataError } from "../../src/core/errors.ts"

/** What {@link printArguments} printed, as an object of own properties. Throws `encoding` for text it did not print; linear. */
export function parseArguments(text: string): Record<string, unknown> {
  const entries: [string, unknown][] = []
  let at = 0
  while (at < text.length) {
    const keyEnd = text[at] === '"' ? jsonEnd(text, at) : text.indexOf("=", at)
    if (keyEnd <= at || text[keyEnd] !== "=") throw malformed(text, at, "a name and =")
    const valueEnd = endOfValue(text, keyEnd + 1)
    entries.push([String(readValue(text, at, keyEnd, false)), readValue(text, keyEnd + 1, valueEnd, true)])
    if (valueEnd === text.length) break
    if (!text.startsWith(", ", valueEnd) || valueEnd + 2 === text.length)
      throw malformed(text, valueEnd, "a comma, a space and more")
    at = valueEnd + 2
  }
  return Object.fromEntries(entries)
}

/** Bare words hold no comma, so that the next one ends them. */
function endOfValue(text: string, start: number): number {
  if ('"[{'.includes(text[start] ?? " ")) return jsonEnd(text, start)
  const comma = text.indexOf(",", start)
  return comma === -1 ? text.length : comma
}

/** Just after the JSON string, list or object that begins at `start`. */
function jsonEnd(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === "\\") at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "[" || character === "{") depth++
    else if (character === "]" || character === "}") depth--
    if (depth === 0 && !inString) return at + 1
  }
  throw malformed(text, start, "the end of what is opened here")
}

const scalar = /^(?:true|false|null|-?\d.*)$/s

/** A quoted or bracketed piece is JSON and must be; so is a bare scalar, except as a key; any other piece is a bare word. */
function readValue(text: string, start: number, end: number, isValue: boolean): unknown {
  const piece = text.slice(start, end)
  if (piece === "") throw malformed(text, start, "a value")
  const quoted = '"[{'.includes(piece[0] ?? " ")
  if (!quoted && !(isValue && scalar.test(piece))) return piece
  try {
    return JSON.parse(piece)
  } catch {
    if (quoted) throw malformed(text, start, "JSON")
    return piece
  }
}

function malformed(text: string, at: number, expected: string): PromptStrataError {
  return new PromptStrataError(
    "encoding",
    `Expected ${expected} at offset ${at}, found ${JSON.stringify(text.slice(at, at + 40))}.`,
    { hint: "Pass exactly what printArguments returned." },
  )
}
