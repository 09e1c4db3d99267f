/** A text and where its pieces begin. */
export interface SplitText {
  readonly text: string
  readonly starts: Uint32Array
}

/**
 * What joining two texts does to their pieces: the first `kept` of the left one stay, `between` are new, and those of
 * the right one stay from `resumed` on. Every piece counts apart, so the sum of their tokens is that of the joined text.
 */
export interface Seam {
  readonly kept: number
  readonly between: readonly string[]
  readonly resumed: number
}

/**
 * Settles a seam by splitting a window around it, made wider until both its ends are sure: a few pieces of each text,
 * however long it is. `pieces` is a counter's and keeps the promises in the README of `src/tokenizers/`; the texts are
 * well-formed, and their `starts` are what it says of them.
 */
export function settleSeam(left: SplitText, right: SplitText, pieces: (text: string) => Uint32Array): Seam {
  for (let width = 2; ; width *= 2) {
    const from = Math.max(0, left.starts.length - width)
    const to = Math.min(right.starts.length, width)
    const window = left.text.slice(startOf(left, from)) + right.text.slice(0, startOf(right, to))
    const seam = readWindow({ text: window, starts: pieces(window) }, { left, from, right, to })
    if (seam) return seam
  }
}

/** The left text's pieces in a window begin with number `from`, the right one's end before number `to`. */
interface Sides {
  readonly left: SplitText
  readonly from: number
  readonly right: SplitText
  readonly to: number
}

/** The seam, or undefined where the window is too small to be sure of it. */
function readWindow(window: SplitText, { left, from, right, to }: Sides): Seam | undefined {
  const offset = startOf(left, from)
  const seamAt = left.text.length - offset
  let stays = 0
  while (from + stays < left.starts.length && startOf(window, stays + 1) === startOf(left, from + stays + 1) - offset) stays++
  // A piece that stays vouches for all before it; the first one of the text needs nobody.
  if (from > 0 && stays === 0) return undefined
  for (let piece = stays, resumed = 0; piece < window.starts.length; piece++) {
    const at = startOf(window, piece) - seamAt
    while (resumed < to && startOf(right, resumed) < at) resumed++
    // Where a piece is the right text's own, cutting the window off behind it has changed nothing before it.
    const same = at === startOf(right, resumed) && startOf(window, piece + 1) - seamAt === startOf(right, resumed + 1)
    if (resumed < to && same) return { kept: from + stays, between: textsOf(window, stays, piece), resumed }
  }
  if (to < right.starts.length) return undefined
  return { kept: from + stays, between: textsOf(window, stays, window.starts.length), resumed: to }
}

function textsOf(split: SplitText, from: number, to: number): string[] {
  return Array.from(split.starts.subarray(from, to), (start, index) => split.text.slice(start, startOf(split, from + index + 1)))
}

/** Where a piece begins; the text's end for the one after the last. */
function startOf({ text, starts }: SplitText, piece: number): number {
  return starts[piece] ?? text.length
}
