import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../core/grapheme-boundary.ts"

/** The visible words between what is left of both ends, such as a line of its own; counts are in code points. */
export type CapNotice = (kept: number, total: number) => string

/** A text within its limit. `cappedFromCharacters` is its length before, in code points, where it was cut. */
export interface CappedText {
  readonly text: string
  readonly cappedFromCharacters?: number
}

/** Room for the notice is left between head and tail. */
const headShare = 0.7
const tailShare = 0.2

/** The limit of a tool that names none, in code points. */
export const defaultMaxResultCharacters = 20_000

/**
 * Cuts a text of more than `maxCharacters` code points to its first 70 % and last 20 % of that, with the notice between
 * them. Cuts fall between graphemes, so a little less may be left; the notice comes on top.
 */
export function capResult(text: string, maxCharacters: number, notice: CapNotice): CappedText {
  if (text.length <= maxCharacters) return { text }
  const total = countCodePoints(text, 0, text.length)
  if (total <= maxCharacters) return { text }
  const headEnd = graphemeBoundaryBefore(text, offsetForward(text, Math.floor(maxCharacters * headShare)))
  const tailStart = graphemeBoundaryAfter(text, offsetBackward(text, Math.floor(maxCharacters * tailShare)))
  const kept = countCodePoints(text, 0, headEnd) + countCodePoints(text, tailStart, text.length)
  return { text: text.slice(0, headEnd) + notice(kept, total) + text.slice(tailStart), cappedFromCharacters: total }
}

function countCodePoints(text: string, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at += widthAt(text, at)) count++
  return count
}

/** The offset after the first `count` code points. */
function offsetForward(text: string, count: number): number {
  let at = 0
  for (let seen = 0; seen < count; seen++) at += widthAt(text, at)
  return at
}

/** The offset before the last `count` code points. */
function offsetBackward(text: string, count: number): number {
  let at = text.length
  for (let seen = 0; seen < count; seen++) at -= at > 1 && widthAt(text, at - 2) === 2 ? 2 : 1
  return at
}

function widthAt(text: string, offset: number): 1 | 2 {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
}
