import { Tiktoken } from "tiktoken"
import gpt2 from "tiktoken/encoders/gpt2.json" with { type: "json" }

/** The letter of each class, and tiktoken's pattern for it. All other code points are `O`. */
const patterns: readonly (readonly [letter: string, pattern: string])[] = [
  ["R", "[\\r\\n]"],
  ["S", "[^\\S\\r\\n]"],
  ["N", "\\p{N}"],
  ["M", "\\p{M}"],
  ["U", "[\\p{Lu}\\p{Lt}]"],
  ["L", "\\p{Ll}"],
  ["C", "[\\p{Lm}\\p{Lo}]"],
]

const codePoints = 0x110000

/** The class of every code point, a letter each, as tiktoken's regular expressions see it. */
function classesInTiktoken(): string[] {
  const classes = new Array<string>(codePoints).fill("O")
  for (const [letter, pattern] of patterns) {
    const matcher = new Tiktoken(gpt2.bpe_ranks, {}, pattern)
    for (const codePoint of matchedBy(matcher)) classes[codePoint] = letter
    matcher.free()
  }
  return classes
}

/** The text that a pattern matches. The encoder gives tokens only for that, so decoding them shows it. */
function* matchedBy(matcher: Tiktoken): Generator<number> {
  const step = 0x800
  for (let from = 0; from < codePoints; from += step) {
    if (from === 0xd800) continue
    const text = Array.from({ length: step }, (_, index) => String.fromCodePoint(from + index)).join("")
    const matched = new TextDecoder("utf-8", { ignoreBOM: true }).decode(matcher.decode(matcher.encode_ordinary(text)))
    for (const char of matched) yield char.codePointAt(0) ?? 0
  }
}

/** Runs of equal classes, each its letter and, above one, its length in base 36. */
function toRuns(classes: readonly string[]): string {
  const runs: string[] = []
  for (let from = 0, to = 0; from < classes.length; from = to) {
    while (to < classes.length && classes[to] === classes[from]) to++
    runs.push(`${classes[from]}${to - from === 1 ? "" : (to - from).toString(36)}`)
  }
  return runs.join("")
}

/** The text of `src/adapters/tokenizers/tiktoken/unicode-classes.ts`. */
export function unicodeClassesModule(): string {
  return `/**
 * The class of every code point in tiktoken's regular expressions (Unicode 16), whatever Unicode the JavaScript engine
 * knows: \`O\` other, \`R\` \\r and \\n, \`S\` other white space, \`N\` number, \`M\` mark, \`U\` upper and title case, \`L\` lower case,
 * \`C\` letters without case; after it, in base 36, how many follow each other. Written by
 * \`vitest run -u test/adapters/tokenizers/tiktoken/unicode-classes.test.ts\`.
 */
export const unicodeClassRuns =
  "${toRuns(classesInTiktoken())}"
`
}
