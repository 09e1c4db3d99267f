import { countCodePoints, graphemeBoundaryAfter, graphemeBoundaryBefore, offsetAfter, widthAt } from "../../core/graphemes.ts"

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

/** The UTF-16 offset before the last `count` code points, or 0. */
function offsetBefore(text: string, count: number): number {
  let at = text.length
  for (let seen = 0; seen < count && at > 0; seen++) at -= at > 1 && widthAt(text, at - 2) === 2 ? 2 : 1
  return at
}
