import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../../core/grapheme-boundary.ts"
import { countCodePoints, offsetAfter, offsetBefore } from "./code-points.ts"

/** What is left of a document that was too long. Counts are in code points. */
export interface TruncatedDocument {
  readonly head: string
  readonly tail: string
  readonly keptHead: number
  readonly keptTail: number
  readonly total: number
}

/** In tenths: a share as a fraction is now and then one too few (0.7 × 90 is less than 63). */
const headTenths = 7
const tailTenths = 2

/**
 * Keeps the first 70 % and the last 20 % of `maxCharacters` code points, floored; `undefined` for a text that is no longer
 * than that. Cuts fall between graphemes, so a little less may be left (D4).
 */
export function truncateDocument(text: string, maxCharacters: number): TruncatedDocument | undefined {
  if (text.length <= maxCharacters) return undefined
  const total = countCodePoints(text)
  if (total <= maxCharacters) return undefined
  const head = text.slice(0, graphemeBoundaryBefore(text, offsetAfter(text, tenths(maxCharacters, headTenths))))
  const tail = text.slice(graphemeBoundaryAfter(text, offsetBefore(text, tenths(maxCharacters, tailTenths))))
  return { head, tail, keptHead: countCodePoints(head), keptTail: countCodePoints(tail), total }
}

function tenths(maxCharacters: number, count: number): number {
  return Math.floor((maxCharacters * count) / 10)
}
