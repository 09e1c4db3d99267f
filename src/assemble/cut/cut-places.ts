import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../../core/grapheme-boundary.ts"
import type { Fit } from "../../core/value.ts"
import { beforeFenceLine, behindFenceMark } from "./open-fence.ts"

/** Where a text is cut: what stands between the two places goes. */
export interface CutPlaces {
  readonly headEnd: number
  readonly tailStart: number
}

/** Head and tail share what is left as 70 to 20 (D4). */
export const headShare = 7 / 9

/** The places that leave at most `size` UTF-16 units, between graphemes and never in the line of a code fence (S17). `first` loses its end, `last` its beginning. */
export function cutPlaces(first: string, last: string, size: number, shrink: Fit["shrink"]): CutPlaces {
  const headUnits = shrink === "tail" ? 0 : shrink === "head" ? size : Math.ceil(size * headShare)
  const headEnd = boundary(first, Math.min(headUnits, first.length), graphemeBoundaryBefore)
  const tailStart = boundary(last, Math.max(0, last.length - (size - headUnits)), graphemeBoundaryAfter)
  const behindMark = behindFenceMark(last, tailStart)
  return {
    headEnd: beforeFenceLine(first, headEnd),
    tailStart: behindMark === tailStart ? tailStart : boundary(last, behindMark, graphemeBoundaryAfter),
  }
}

/** Between two plain characters nothing has to be looked up. */
function boundary(text: string, at: number, find: (text: string, at: number) => number): number {
  const isPlain = at > 0 && at < text.length && isSingle(text.charCodeAt(at - 1)) && isSingle(text.charCodeAt(at))
  return isPlain ? at : find(text, at)
}

/** A character that joins with none before or after it: printable ASCII, and ideographs. */
function isSingle(unit: number): boolean {
  return (unit >= 0x20 && unit < 0x7f) || (unit >= 0x4e00 && unit <= 0x9fff)
}
