import { lazyPattern } from "../../core/lazy-pattern.ts"
import { isBlank, isCommentAt, isNameCharacter, literalOf, quotesOf, structureOf } from "./loose-syntax.ts"

/** A value without quotes: as JSON writes a scalar, or its words. */
export type BareWord = ({ readonly scalar: string } | { readonly words: string }) & { readonly end: number }

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
/** A number as other languages write it, too. */
const number = /^[-+]?(?:[0-9]+(?:_[0-9]+)*)?(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?$/
/** A date, a version, a fraction: digits that are no number. */
const numbersApart = /^[0-9]+(?:[-/.][0-9]+)+$/
/** What JSON has no number for, and numbers that were cut off. */
const notWords = /^(?:nan|[-+]?inf(?:inity)?|[-+]?[0-9.]+e[-+]?)$/i
/** A literal that a quote follows: the comma between them is missing. */
const literal = /(?:[tT]rue|[fF]alse|null|None)(?=["'“‘＂＇])/y
const letter = lazyPattern(String.raw`\p{L}`, "u")
/** As in `don't`: part of a word. */
const apostrophe = lazyPattern(String.raw`^\p{L}['’]\p{L}$`, "u")
const ends = new Set([",", "}", "]", "{", "[", ":", "\n", "\r", "\\", "`", "(", ")"])

/**
 * Reads a value that stands without quotes, up to what cannot belong to it. Where a colon follows, its last word is the
 * next name, and the value must be a scalar. Of several numbers it is the first. `undefined` for nothing, for what the end
 * of the text or a lost quote may have cut off, and for what is neither words nor a number.
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

/** Of numbers in a row the first: the comma between them is missing. */
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

/** The place before the name that ends before a colon at `colon`. */
function beforeName(text: string, from: number, colon: number): number {
  let index = colon
  while (index > from && isBlank(text.charAt(index - 1))) index--
  while (index > from && isNameCharacter(text.charAt(index - 1))) index--
  return index
}

/** A number as JSON writes it: what JSON has no way to write, such as a leading zero, is none. */
function numberOf(words: string): string | undefined {
  if (!number.test(words) || !/[0-9]/.test(words) || /^[-+]?0[0-9]/.test(words)) return undefined
  if (jsonNumber.test(words)) return words
  const value = Number(words.replaceAll("_", ""))
  return Number.isFinite(value) ? JSON.stringify(value) : undefined
}
