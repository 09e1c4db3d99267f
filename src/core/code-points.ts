import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "./graphemes.ts"

const highSurrogate = /[\ud800-\udbff]/

/** Counts the code points of a text. Half a surrogate pair counts as one. */
export function countCodePoints(text: string): number {
  // Most texts have no surrogate pair, and to find that out is far cheaper than to count.
  const first = text.search(highSurrogate)
  if (first < 0) return text.length
  let count = first
  for (let at = first; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const isSecond = unit >= 0xdc00 && unit <= 0xdfff && at > 0 && highSurrogate.test(text.charAt(at - 1))
    if (!isSecond) count++
  }
  return count
}

/** The UTF-16 offset after the first `count` code points, or the text's end. */
export function offsetAfter(text: string, count: number): number {
  let at = 0
  for (let seen = 0; seen < count && at < text.length; seen++) at += widthAt(text, at)
  return at
}

/** The UTF-16 offset before the last `count` code points, or 0. */
function offsetBefore(text: string, count: number): number {
  let at = text.length
  for (let seen = 0; seen < count && at > 0; seen++) at -= at > 1 && widthAt(text, at - 2) === 2 ? 2 : 1
  return at
}

function widthAt(text: string, offset: number): 1 | 2 {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
}

/** The two ends of a text that was too long. Counts are in code points. */
export interface TextEnds {
  readonly head: string
  readonly tail: string
  readonly keptHead: number
  readonly keptTail: number
  readonly total: number
}

/** In tenths, because a product with a fraction may be one too low (0.7 × 90 is less than 63). */
const headTenths = 7
const tailTenths = 2

/**
 * The first 70 % and the last 20 % of `maxCharacters` code points, rounded down; undefined if the text is not longer than
 * `maxCharacters`. The rest is room for a notice. Cuts fall between graphemes, so a little less may be kept (D4).
 */
export function endsOf(text: string, maxCharacters: number): TextEnds | undefined {
  if (text.length <= maxCharacters) return undefined
  const total = countCodePoints(text)
  if (total <= maxCharacters) return undefined
  const tenths = (count: number): number => Math.floor((maxCharacters * count) / 10)
  const head = text.slice(0, graphemeBoundaryBefore(text, offsetAfter(text, tenths(headTenths))))
  const tail = text.slice(graphemeBoundaryAfter(text, offsetBefore(text, tenths(tailTenths))))
  return { head, tail, keptHead: countCodePoints(head), keptTail: countCodePoints(tail), total }
}
