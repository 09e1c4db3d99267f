import { lazyPattern } from "../../core/lazy-pattern.ts"

const structure = new Map(Object.entries({ "｛": "{", "｝": "}", "［": "[", "］": "]", "：": ":", "，": "," }))

/** The quotes that models write around names and strings, each with the quotes that may close it. */
const families = new Map(
  ['"', "'", "＂", "＇", "“”„", "‘’‚"].flatMap((family) => Array.from(family, (quote): [string, string] => [quote, family])),
)

const quotesAndStructure = new Set(
  [..."{}[]:,", ...structure.keys(), ...families.keys()].map((character) => character.charCodeAt(0)),
)

/** Literals of JSON, Python and JavaScript, in lower case, as JSON writes them. */
const literals = new Map(Object.entries({ true: "true", false: "false", null: "null", none: "null", undefined: "null" }))

const nameStart = lazyPattern(String.raw`[\p{L}\p{N}_$]`, "u")
const nameCharacter = lazyPattern(String.raw`[\p{L}\p{N}_$.-]`, "u")
const wordCharacter = lazyPattern(String.raw`[\p{L}\p{N}]`, "u")
const blank = /\s/

/** Turns a full-width structural character into that of JSON; any other character stays as it is. */
export function structureOf(character: string): string {
  return structure.get(character) ?? character
}

/** The quotes that may close a string that `character` opens; `undefined` for a character that is no quote. */
export function quotesOf(character: string): string | undefined {
  return families.get(character)
}

/** True for the code of a quote or a structural character. */
export function isQuoteOrStructure(code: number): boolean {
  return quotesAndStructure.has(code)
}

/** The JSON literal that a bare word stands for. */
export function literalOf(word: string): string | undefined {
  const isOneCase = /^[A-Z]?(?:[a-z]+|[A-Z]+)$/.test(word)
  return isOneCase ? literals.get(word.toLowerCase()) : undefined
}

/** True for white space of any kind. */
export function isBlank(character: string): boolean {
  return blank.test(character)
}

/** True for a character that can begin a name without quotes. */
export function isNameStart(character: string): boolean {
  return nameStart().test(character)
}

/** True for a character of a name without quotes. */
export function isNameCharacter(character: string): boolean {
  return nameCharacter().test(character)
}

/** True for a single quote between letters. */
export function isApostrophe(text: string, at: number): boolean {
  return "'’".includes(text.charAt(at)) && wordCharacter().test(text.charAt(at - 1)) && wordCharacter().test(text.charAt(at + 1))
}

type Stage = "none" | "slash" | "hash" | "line" | "block" | "star" | "end"

/** Skips comments, character by character: `//`, or `#` and a space, to the end of the line, and `/*` to its end. */
export class CommentSkip {
  #stage: Stage = "none"

  /** True for a character of a comment. A slash or a hash counts as the beginning of one until the next character tells. */
  skips(character: string): boolean {
    this.#stage = this.#next(character)
    return this.#stage !== "none"
  }

  /** True after a slash or a hash that may turn out to begin no comment. */
  get isDoubtful(): boolean {
    return this.#stage === "slash" || this.#stage === "hash"
  }

  #next(character: string): Stage {
    switch (this.#stage) {
      case "slash":
        return character === "/" ? "line" : character === "*" ? "block" : "none"
      case "hash":
        return isBlank(character) ? endOfLine(character) : "none"
      case "line":
        return endOfLine(character)
      case "block":
        return character === "*" ? "star" : "block"
      case "star":
        return character === "/" ? "end" : character === "*" ? "star" : "block"
      default:
        return character === "/" ? "slash" : character === "#" ? "hash" : "none"
    }
  }
}

function endOfLine(character: string): Stage {
  return character === "\n" || character === "\r" ? "end" : "line"
}

/** The first place from `from` on that is neither white space nor in a comment. */
export function skipBlank(text: string, from: number): number {
  const comment = new CommentSkip()
  let end = from
  for (let index = from; index < text.length; index++) {
    const character = text.charAt(index)
    const isComment = comment.skips(character)
    if (!isComment && (index > end || !isBlank(character))) return end
    if (!comment.isDoubtful) end = index + 1
  }
  return end
}

/** A value without quotes: a scalar as JSON writes it, or words. */
type BareWord = ({ readonly scalar: string } | { readonly words: string }) & { readonly end: number }

/** A number as JSON writes it. */
export const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
/** A number as JSON or another language writes it. */
const number = /^[-+]?(?:[0-9]+(?:_[0-9]+)*)?(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?$/
/** A date, a version or a fraction: digits that are no number. */
const numbersApart = /^[0-9]+(?:[-/.][0-9]+)+$/
/** Numbers that JSON cannot write, and numbers that were cut off. */
const notWords = /^(?:nan|[-+]?inf(?:inity)?|[-+]?[0-9.]+e[-+]?)$/i
/** A literal before a quote; the comma between them is missing. */
const literal = /(?:[tT]rue|[fF]alse|null|None)(?=["'“‘＂＇])/y
const letter = lazyPattern(String.raw`\p{L}`, "u")
/** An apostrophe inside a word, as in `don't`. */
const apostrophe = lazyPattern(String.raw`^\p{L}['’]\p{L}$`, "u")
/** The beginning of a comment that touches what stands before it. */
const commentMark = /\/[/*]/
const ends = new Set([",", "}", "]", "{", "[", ":", "\n", "\r", "\\", "`", "(", ")"])

/**
 * Reads a value without quotes, up to a character that cannot belong to it. Where a colon follows, the last word is the next
 * name, and the value before it must be a scalar. Of several numbers in a row it reads the first. A comment may touch a scalar.
 * It returns undefined where there is no value, where the value may have been cut off, for characters that are neither words nor
 * a number, for what may be two numbers without the comma between them, and for words with a comment's mark in them, which may belong to a path.
 */
export function readBareWord(text: string, from: number): BareWord | undefined {
  literal.lastIndex = from
  const known = literal.exec(text)?.[0]
  let index = from + (known?.length ?? 0)
  while (known === undefined && index < text.length && !endsWord(text, index)) index++
  const next = text.charAt(index)
  const isBeforeName = structureOf(next) === ":"
  if (isBeforeName) index = beforeName(text, from, index)
  const whole = text.slice(from, index)
  const mark = whole.search(commentMark)
  const words = (mark < 0 ? whole : whole.slice(0, mark)).trimEnd()
  const end = from + words.length
  const scalar = literalOf(words) ?? numberOf(words)
  if (scalar !== undefined) return { scalar, end }
  if (mark >= 0 || notWords.test(words)) return undefined
  if (!letter().test(words) && !numbersApart.test(words)) return firstNumber(words, from)
  if (areTwoNumbers(words)) return undefined
  const isCut = next === "" || isBeforeName || (quotesOf(next) !== undefined && (end === index || /\s/.test(words)))
  return isCut ? undefined : { words, end }
}

/** The first of several numbers in a row; the commas between them are missing. */
function firstNumber(words: string, from: number): BareWord | undefined {
  const first = /^\S*/.exec(words)?.[0] ?? ""
  const scalar = numberOf(first)
  return scalar === undefined ? undefined : { scalar, end: from + first.length }
}

/** True for `0.80.7`, which a version can be, and also 0.8 and 0.7. */
function areTwoNumbers(words: string): boolean {
  return (
    numbersApart.test(words) &&
    [...words].some((_, at) => jsonNumber.test(words.slice(0, at)) && jsonNumber.test(words.slice(at)))
  )
}

function endsWord(text: string, index: number): boolean {
  const character = text.charAt(index)
  if (ends.has(structureOf(character))) return true
  if (quotesOf(character) !== undefined) return !apostrophe().test(text.slice(index - 1, index + 2))
  // A comment ends the word.
  return isBlank(text.charAt(index - 1)) && !isBlank(character) && skipBlank(text, index) > index
}

/** The beginning of the name that ends before `colon`. */
function beforeName(text: string, from: number, colon: number): number {
  let index = colon
  while (index > from && isBlank(text.charAt(index - 1))) index--
  while (index > from && isNameCharacter(text.charAt(index - 1))) index--
  return index
}

/** A number as JSON writes it; undefined for other words, and for a number with a leading zero. */
function numberOf(words: string): string | undefined {
  if (!number.test(words) || !/[0-9]/.test(words) || /^[-+]?0[0-9]/.test(words)) return undefined
  if (jsonNumber.test(words)) return words
  const value = Number(words.replaceAll("_", ""))
  return Number.isFinite(value) ? JSON.stringify(value) : undefined
}
