import { lazyPattern } from "../../core/lazy-pattern.ts"
import { isBlank, isCommentAt, isNameCharacter, literalOf, quotesOf, structureOf } from "./loose-syntax.ts"

/** A value without quotes: a scalar as JSON writes it, or words. */
export type BareWord = ({ readonly scalar: string } | { readonly words: string }) & { readonly end: number }

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
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
const ends = new Set([",", "}", "]", "{", "[", ":", "\n", "\r", "\\", "`", "(", ")"])

/**
 * Reads a value without quotes, up to a character that cannot belong to it. Where a colon follows, the last word is the next
 * name, and the value before it must be a scalar. Of several numbers in a row it reads the first. It returns undefined where
 * there is no value, where the value may have been cut off, and for characters that are neither words nor a number.
 */
export function readBareWord(text: string, from: number): BareWord | undefined {
  literal.lastIndex = from
  const known = literal.exec(text)?.[0]
  let index = from + (known?.length ?? 0)
  while (known === undefined && index < text.length && !endsWord(text, index)) index++
  const next = text.charAt(index)
  const isBeforeName = structureOf(next) === ":"
  if (isBeforeName) index = beforeName(text, from, index)
  const words = text.slice(from, index).trimEnd()
  const end = from + words.length
  const scalar = literalOf(words) ?? numberOf(words)
  if (scalar !== undefined) return { scalar, end }
  if (notWords.test(words)) return undefined
  if (!letter().test(words) && !numbersApart.test(words)) return firstNumber(words, from)
  const isCut = next === "" || isBeforeName || (quotesOf(next) !== undefined && (end === index || /\s/.test(words)))
  return isCut ? undefined : { words, end }
}

/** The first of several numbers in a row; the commas between them are missing. */
function firstNumber(words: string, from: number): BareWord | undefined {
  const first = /^\S*/.exec(words)?.[0] ?? ""
  const scalar = numberOf(first)
  return scalar === undefined ? undefined : { scalar, end: from + first.length }
}

function endsWord(text: string, index: number): boolean {
  const character = text.charAt(index)
  if (ends.has(structureOf(character))) return true
  if (quotesOf(character) !== undefined) return !apostrophe().test(text.slice(index - 1, index + 2))
  return isBlank(text.charAt(index - 1)) && isCommentAt(text, index)
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
