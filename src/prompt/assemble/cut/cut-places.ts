import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../../../core/graphemes.ts"
import type { FitRule } from "../../../core/value.ts"
import { beforeFenceLine, behindFenceMark } from "./fences.ts"

/** The head's share of what is left. Head and tail are as 70 to 20 (D4). */
export const headShare = 7 / 9

/**
 * Finds the two places between which to remove text so that at most `size` UTF-16 units are left: between graphemes and never in the line of a code fence
 * (S17). `first` loses its end, `last` its beginning.
 */
export function cutPlaces(first: string, last: string, size: number, shrink: FitRule["shrink"]) {
  const headUnits = shrink === "tail" ? 0 : shrink === "head" ? size : Math.ceil(size * headShare)
  const headEnd = boundary(first, Math.min(headUnits, first.length), graphemeBoundaryBefore)
  const tailStart = boundary(last, Math.max(0, last.length - (size - headUnits)), graphemeBoundaryAfter)
  const behindMark = behindFenceMark(last, tailStart)
  return {
    headEnd: beforeFenceLine(first, headEnd),
    tailStart: behindMark === tailStart ? tailStart : boundary(last, behindMark, graphemeBoundaryAfter),
  }
}

/** The boundary that `find` gives for `at`. Between two plain characters `at` itself is one. */
function boundary(text: string, at: number, find: (text: string, at: number) => number): number {
  const isPlain = at > 0 && at < text.length && isSingle(text.charCodeAt(at - 1)) && isSingle(text.charCodeAt(at))
  return isPlain ? at : find(text, at)
}

/** True for characters that never join a neighbour into one grapheme: printable ASCII and ideographs. */
function isSingle(unit: number): boolean {
  return (unit >= 0x20 && unit < 0x7f) || (unit >= 0x4e00 && unit <= 0x9fff)
}
