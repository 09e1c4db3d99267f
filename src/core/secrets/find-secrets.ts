import { countUpTo } from "../binary-search.ts"
import table from "./credential-shapes.json" with { type: "json" }

/** The UTF-16 offsets of a secret in a text. Ranges are in ascending order and do not touch. */
export type SecretRange = readonly [start: number, end: number]

/** Finds secrets in a text. */
export type FindSecrets = (text: string) => readonly SecretRange[]

// A shorter value may be an ordinary word. Replacing it would change the recorded conversation.
const minVariableCharacters = 12

const parts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(table.parts).map(([name, { pattern }]) => [name, pattern])),
  named: table.named.join("|"),
}

function compiled(rows: readonly { readonly pattern: string; readonly flags: string }[]): readonly RegExp[] {
  return rows.map(
    ({ pattern, flags }) =>
      new RegExp(
        pattern.replace(/<<(\w+)>>/g, (_, name: string) => parts[name] ?? ""),
        flags,
      ),
  )
}

const shapes = compiled(table.shapes)
/** Shorter texts that are keys where a server complains about one. In other texts they can be words. */
const complainedShapes = compiled(table.complained)

/**
 * Finds listed values, the values of environment variables whose name has KEY, TOKEN, SECRET or PASSWORD in it, and texts
 * with the shape of a key. Each is also found where JSON, a URL or HTML has escaped it, and a value in base64 or hexadecimal. With `complaint`,
 * shorter texts with the prefix of a key count, too.
 */
export function secretFinder(
  listed: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  complaint = false,
): FindSecrets {
  const values = [...listed, ...secretVariables(env)].filter((value) => value !== "")
  const literals = [...new Set(values.flatMap(writings))]
  const patterns = complaint ? [...shapes, ...complainedShapes] : shapes
  return (text) => {
    const ranges: SecretRange[] = []
    let view: View | undefined = viewOf(text)
    // Three rounds: JSON in the JSON of an answer, and one more.
    for (let round = 0; round <= 3 && view !== undefined; round++) {
      const whole = replaced(view, wraps, () => "")
      for (const each of whole ? [view, whole] : [view]) {
        const shaped = each === view ? patterns : []
        const found = [
          ...literals.flatMap((literal) => literalRanges(each.text, literal)),
          ...shaped.flatMap((shape) => shapeRanges(each.text, shape)),
        ]
        for (const [start, end] of found) ranges.push([each.at(start), each.end(end)])
      }
      view = unescaped(view)
    }
    return joined(ranges)
  }
}

/** Finds the secrets that the caller lists and those of the process's environment. */
export function hostSecrets(listed: readonly string[] = [], complaint = false): FindSecrets {
  return secretFinder(listed, globalThis.process?.env ?? {}, complaint)
}

function secretVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  // Node.js takes three times as long to read all values.
  const named = Object.keys(env).filter((name) => /KEY|TOKEN|SECRET|PASSWORD/i.test(name))
  return named.map((name) => env[name] ?? "").filter((value) => value.length >= minVariableCharacters)
}

/**
 * A value as it is, as a view without escapes or a form has it, as base64 holds it, also amid other bytes, in UTF-16 or twice, and its
 * bytes in numbers.
 */
function writings(value: string): readonly string[] {
  const plain = [value, unescaped(viewOf(value))?.text ?? value, value.replaceAll(" ", "+")]
  if (value.length < 6) return plain
  const bytes = String.fromCharCode(...new TextEncoder().encode(value.slice(0, 10_000)))
  const numbers = Array.from(bytes, (byte) => byte.charCodeAt(0))
  const pairs = numbers.map((number) => number.toString(16).padStart(2, "0"))
  const hex = ["", " ", ":", "-"].map((between) => pairs.join(between))
  const inner = [bytes, bytes.split("").join("\0"), pairs.join(""), ...inBase64(bytes)].flatMap(inBase64)
  const inHex = [...hex, ...hex.map((text) => text.toUpperCase()), numbers.join(","), numbers.join(" ")]
  return [...plain, ...inner, ...inner.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")), ...inHex]
}

/** The characters that base64 has for bytes, at each of the three places where these can begin. */
function inBase64(bytes: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const whole = Math.floor(((before + bytes.length) * 8) / 6)
    return btoa("\0".repeat(before) + bytes).slice(Math.ceil((before * 8) / 6), whole)
  })
}

/** A text without its escapes. `at` and `end` are the places in the original text of one that begins or ends here. */
interface View {
  readonly text: string
  readonly at: (offset: number) => number
  readonly end: (offset: number) => number
}

function viewOf(text: string): View {
  return { text, at: (offset) => offset, end: (offset) => offset }
}

const escapes =
  /\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}|\b0x[0-9a-f]{2}(?:,?\s*(?=0x)|\b)|\\[0-3][0-7]{2}|\\["\\/bfnrt]|(?:%[0-9a-f]{2})+|=3D|(?:=[0-9a-f]{2}){2,}|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|quot|lt|gt|apos);/gi

/** Line breaks in wrapped base64, and the blanks of a printed list of bytes. */
const wraps = /\r?\n(?<=[\w+/=-]{40}\r?\n)[ \t]*|(?<=\d,)\s+(?=\d)/g

/** Resolves the escapes of JSON, URLs, HTML, mails and sources; undefined where there are none. */
function unescaped(view: View): View | undefined {
  return replaced(view, escapes, plainOf)
}

/** Replaces what a pattern finds; undefined where that is nothing. */
function replaced(view: View, pattern: RegExp, plain: (found: string) => string): View | undefined {
  const starts = [0]
  const sources = [0]
  let [text, from] = ["", 0]
  for (const { 0: given, index } of view.text.matchAll(pattern)) {
    text += view.text.slice(from, index)
    starts.push(text.length)
    sources.push(index)
    text += plain(given)
    from = index + given.length
    starts.push(text.length)
    sources.push(from)
  }
  if (from === 0) return undefined
  text += view.text.slice(from)
  /** The last piece that begins before a place, or at it. Odd pieces are escapes. */
  const sourceOf = (offset: number, isEnd: boolean): number => {
    const piece = Math.max(0, countUpTo(starts, isEnd ? offset - 1 : offset) - 1)
    if (piece % 2 === 1) return sources[isEnd ? piece + 1 : piece] ?? from
    return (sources[piece] ?? 0) + offset - (starts[piece] ?? 0)
  }
  return { text, at: (offset) => view.at(sourceOf(offset, false)), end: (offset) => view.end(sourceOf(offset, true)) }
}

const namedCharacters: Readonly<Record<string, string>> = {
  ...{ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" },
  ...{ amp: "&", quot: '"', lt: "<", gt: ">", apos: "'" },
}

function plainOf(written: string): string {
  const [mark = ""] = written
  const name = mark === "&" ? written.slice(1, -1).toLowerCase() : written.slice(1)
  if (name.startsWith("#")) return characterOf(name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)))
  if (mark === "%" || mark === "=")
    return new TextDecoder().decode(Uint8Array.from(name.split(mark), (byte) => Number.parseInt(byte, 16)))
  if (/^\d/.test(name)) return characterOf(Number.parseInt(name, 8))
  return mark !== "&" && name.length > 1
    ? characterOf(Number.parseInt(name.replace(/^u\{?|x/, ""), 16))
    : (namedCharacters[name] ?? name)
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd"
}

function literalRanges(text: string, literal: string): readonly SecretRange[] {
  const ranges: SecretRange[] = []
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length))
    ranges.push([at, at + literal.length])
  return ranges
}

function shapeRanges(text: string, shape: RegExp): readonly SecretRange[] {
  const ranges: SecretRange[] = []
  // `matchAll` would copy each shape, which takes as long as the search.
  shape.lastIndex = 0
  for (let found = shape.exec(text); found; found = shape.exec(text)) ranges.push([found.index, shape.lastIndex])
  return ranges
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
