import { lazyPattern } from "../../../../core/lazy-pattern.ts"
import { finished, type Steps, stepUnits } from "../documents/steps.ts"
import pairs from "./simplified-chinese.json" with { type: "json" }
import { fourGrams, stopWords, wordTerm } from "./word-term.ts"

const traditional = /[\u4e00-\u9fa5]/g
/** By each traditional character its simplified one, from the characters that OpenCC's table (Apache 2.0) has in the basic block of Unicode. */
let simplifiedOf: ReadonlyMap<string, string> | undefined

/** The text with simplified in place of traditional characters, so that a text in one way of writing is found by a question in the other. Its length stays. */
function simplified(text: string): string {
  simplifiedOf ??= readPairs()
  const known = simplifiedOf
  return text.replace(traditional, (character) => known.get(character) ?? character)
}

function readPairs(): Map<string, string> {
  const characters = Array.from(pairs.join(""))
  const found = new Map<string, string>()
  for (let at = 0; at + 1 < characters.length; at += 2) found.set(characters[at] ?? "", characters[at + 1] ?? "")
  return found
}

/** The kinds of terms into which a text is cut. Each has its own index. */
export const termFields = ["words", "grams", "characters", "keyWords", "keyCharacters"] as const
export type TermField = (typeof termFields)[number]

/** The number of occurrences of each term of a text, by field. */
type TermCounts = Readonly<Record<TermField, ReadonlyMap<string, number>>>

const none: ReadonlyMap<string, number> = new Map()
const count = (counts: Map<string, number>, term: string) => counts.set(term, (counts.get(term) ?? 0) + 1)

/** The terms of a text, as {@link countTerms} counts them. */
export const documentTerms = (text: string, keys?: readonly string[]): TermCounts => finished(countTerms(text, keys))

/**
 * Counts the terms of a text in steps: stems of its words, four-letter pieces of them, and characters and pairs of characters in scripts
 * without spaces. Words and characters of its keys are terms of their own.
 */
export function* countTerms(text: string, keys: readonly string[] = []): Steps<TermCounts> {
  const terms = { words: new Map<string, number>(), grams: new Map<string, number>(), characters: new Map<string, number>() }
  const ofKeys = keys.length === 0 ? undefined : yield* countTerms(keys.join("\n"))
  const normal = normaliseText(text.slice(0, maxIndexedCharacters))
  let units = normal.length >> 4
  for (const [field, term] of textTerms(normal)) {
    count(terms[field], term)
    if (++units < stepUnits) continue
    yield units
    units = 0
  }
  yield units
  return { ...terms, keyWords: ofKeys?.words ?? none, keyCharacters: ofKeys?.characters ?? none }
}

/** The terms of a normalised text: its signs, then those of its runs in order. */
function* textTerms(normalText: string): Generator<readonly ["words" | "grams" | "characters", string]> {
  for (const term of signTerms(normalText)) yield ["words", term]
  for (const run of textRuns(normalText)) {
    if (run.spaceless) {
      for (const term of characterTerms(run.text)) yield ["characters", term]
      continue
    }
    yield ["words", wordTerm(run.text)]
    if (!stopWords.has(run.text)) for (const gram of fourGrams(run.text)) yield ["grams", gram]
  }
}

/** Each character of a run, and each pair of neighbouring characters. */
export function* characterTerms(run: string): Generator<string> {
  let before: string | undefined
  for (const character of run) {
    if (before !== undefined) yield before + character
    yield character
    before = character
  }
}

/** Terms of a longer text are counted up to here. Passages are shorter. */
const maxIndexedCharacters = 16_384

const combiningMarks = /[\u0300-\u036f]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what needs no folding
const onlyAscii = /^[\u0000-\u007f]*$/

const hasHan = /[\u4e00-\u9fa5]/

/**
 * A text in lower case, with plain letters in place of full-width and accented ones and simplified in place of traditional Chinese
 * characters, so that different spellings are found as one.
 */
export function normaliseText(text: string): string {
  const lower = text.toLowerCase()
  if (onlyAscii.test(lower)) return lower
  const plain = lower.normalize("NFKD").replace(combiningMarks, "").normalize("NFKC").replaceAll("’", "'").toLowerCase()
  return hasHan.test(plain) ? simplified(plain) : plain
}

/** Words whose signs belong to them (`c++`, `c#`), ids with a digit (`inv-2024-17`), and emoji. */
const word = "[\\p{L}\\p{N}]+"
const signs = lazyPattern(
  `(?<![\\p{L}\\p{N}])(?:${word}\\+\\+|\\p{L}#|${word}(?:[\\-_.:\\/@]${word})+)|\\p{Extended_Pictographic}`,
  "gv",
)
const joined = lazyPattern(String.raw`^[\p{L}\p{N}]+[-_.:/@]`, "u")
const number = lazyPattern(String.raw`\p{N}`, "u")
/** Longer ones are as rare by their parts. */
const maxSignCharacters = 40

/** The terms of a normalised text in which signs count. Their words are terms of their own beside them. */
export function* signTerms(normalText: string): Generator<string> {
  for (const [term] of normalText.matchAll(signs()))
    if (term.length <= maxSignCharacters && (!joined().test(term) || number().test(term))) yield term
}

/** A long text shortened to its beginning and its end, because a question stands before or after what is pasted with it. */
export function boundText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const half = Math.floor(maxCharacters / 2)
  return `${text.slice(0, half)}\n${text.slice(-half)}`
}

/** Scripts that are written without spaces, and Hangul. */
const spacelessRun =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー々〆]"
const runPattern = lazyPattern(`(${spacelessRun}+)|[[\\p{L}\\p{N}\\p{M}]--${spacelessRun}]+(?:'\\p{L}+)*`, "gv")

/**
 * The runs of a normalised text, in order: words of an alphabet, and characters that are written without spaces between words.
 * Punctuation and symbols separate them and are left out.
 */
export function textRuns(text: string): { readonly text: string; readonly spaceless: boolean }[] {
  return Array.from(text.matchAll(runPattern()), ([run, spaceless]) => ({ text: run, spaceless: spaceless !== undefined }))
}
