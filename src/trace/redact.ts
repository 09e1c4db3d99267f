import type { ModelPart } from "../core/model/language-model.ts"
import { escapeUnits } from "../prompt/encode/inline.ts"

const replacement = "[secret]"

/** Replaces the secrets in a text by `[secret]`. */
export function redactText(text: string, find: FindSecrets): string {
  return redactPieces([text], find).join("")
}

/** Replaces the secrets in the pieces of one text; their number stays. A secret across pieces is replaced in the first of them. */
export function redactPieces(pieces: readonly string[], find: FindSecrets): readonly string[] {
  const ranges = find(pieces.join(""))
  if (ranges.length === 0) return pieces
  let offset = 0
  let next = 0
  return pieces.map((piece) => {
    const end = offset + piece.length
    let kept = ""
    let at = offset
    for (; next < ranges.length; next++) {
      const [from, to] = ranges[next] ?? [end, end]
      if (from >= end) break
      kept += piece.slice(at - offset, Math.max(0, from - offset)) + (from >= offset ? replacement : "")
      at = Math.min(to, end)
      if (to > end) break
    }
    kept += piece.slice(at - offset)
    offset = end
    return kept
  })
}

/** Replaces the secrets in the parts of a stream, also those that are split over several deltas. The number of parts stays. */
export function redactParts(parts: readonly ModelPart[], find: FindSecrets): readonly ModelPart[] {
  const deltasOf = (type: ModelPart["type"]) =>
    redactPieces(
      parts.flatMap((part) => ("delta" in part && part.type === type ? [part.delta] : [])),
      find,
    ).values()
  const deltas = { "text-delta": deltasOf("text-delta"), "thinking-delta": deltasOf("thinking-delta") }
  return parts.map((part) => {
    // A part of base64 that looks like a key is none, and without it the file would be damaged.
    if (part.type === "file") return part
    if ("delta" in part) return { type: part.type, delta: deltas[part.type].next().value ?? "" }
    return { ...(mapTexts(part, (text) => redactText(text, find)) as ModelPart), type: part.type } as ModelPart
  })
}

/** Finds the secrets that the caller lists and those of the process's environment. */
export function hostSecrets(listed: readonly string[] = []): FindSecrets {
  return secretFinder(listed, globalThis.process?.env ?? {})
}

/** The UTF-16 offsets of a secret in a text. Ranges are in ascending order and do not touch. */
type SecretRange = readonly [start: number, end: number]

/** Finds secrets in a text. */
type FindSecrets = (text: string) => readonly SecretRange[]

// A shorter value may be an ordinary word. Replacing it would change the recorded conversation.
const minVariableCharacters = 12

// A key is long or has a digit; words with hyphens are neither. Every repetition is bounded or consumes what it has looked at,
// so a search takes linear time.
const shapes: readonly RegExp[] = [
  /\b(?:sk|xai|pplx|glpat)-(?:(?=[\w-]{0,200}\d)[\w-]{8,}|\w{16,})/g,
  /\b(?:sk|pk|rk)_(?:live|test)_\w{8,}/g,
  /\b(?:gsk|hf|npm)_\w{20,}/g,
  /\b(?:gh[pousr]|github_pat)_\w{20,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bAIza[\w-]{30,}/g,
  /\bAKIA[A-Z0-9]{12,}/g,
  /\beyJ[\w-]{16,}(?:\.[\w-]{1,5000}){0,4}/g,
  /(?<=\bBearer\s{1,4})(?:(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{8,}|[\w.~+/-]{20,})={0,2}/gi,
  /(?<=\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:Basic|Bearer|Token)\s{1,4})?)[^\s"',;]{6,}/gi,
  /(?<=\b(?:x-)?api[ _-]?key["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;]{6,}/gi,
  /(?<=:\/\/)[^\s/@:]{1,100}:[^\s/@]{1,200}(?=@)/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}/g,
]

/**
 * Finds listed values, the values of environment variables whose name has KEY, TOKEN, SECRET or PASSWORD in it, and texts
 * with the shape of a key. A value is also found where JSON has escaped it.
 */
export function secretFinder(listed: readonly string[], env: Readonly<Record<string, string | undefined>>): FindSecrets {
  const values = [...listed, ...secretVariables(env)].filter((value) => value !== "")
  const literals = [...new Set(values.flatMap(writings))]
  return (text) =>
    joined([
      ...literals.flatMap((literal) => literalRanges(text, literal)),
      ...shapes.flatMap((shape) => shapeRanges(text, shape)),
    ])
}

function secretVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    /KEY|TOKEN|SECRET|PASSWORD/i.test(name) && value !== undefined && value.length >= minVariableCharacters ? [value] : [],
  )
}

/** A value as it is, and as JSON may escape it. */
function writings(value: string): readonly string[] {
  const escaped = JSON.stringify(value).slice(1, -1)
  const ascii = escaped.replace(/[^ -~]/g, escapeUnits)
  return [value, escaped, ascii]
}

function literalRanges(text: string, literal: string): readonly SecretRange[] {
  const ranges: SecretRange[] = []
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length))
    ranges.push([at, at + literal.length])
  return ranges
}

function shapeRanges(text: string, shape: RegExp): readonly SecretRange[] {
  return Array.from(text.matchAll(shape), (match): SecretRange => [match.index, match.index + match[0].length])
}

function joined(ranges: readonly SecretRange[]): readonly SecretRange[] {
  const apart: [number, number][] = []
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = apart.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else apart.push([start, end])
  }
  return apart
}

/** Changes every text in JSON data, also the names of properties. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)]))
}
