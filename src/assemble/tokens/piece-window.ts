import type { PieceVisitor, TokenCounter } from "../../core/ports.ts"

/** Some pieces of a text that follow each other, with their characters. */
export interface PieceWindow {
  readonly text: string
  /** The end of each piece in `text`. The first piece begins at 0. */
  readonly ends: readonly number[]
  /** The tokens of each piece. */
  readonly tokens: readonly number[]
  /** True if these are all pieces of the message so far, or of the part. */
  readonly isWhole: boolean
}

/** Splits a text and counts its pieces, in one pass. */
export type PieceScan = (text: string, visit: PieceVisitor) => void

/** The window before a message's first piece. */
export const noPieces: PieceWindow = { text: "", ends: [], tokens: [], isWhole: true }

/** The scan of a counter; `undefined` for a counter without pieces. */
export function scanOf({ scan, pieces, count }: TokenCounter): PieceScan | undefined {
  if (scan) return scan
  if (!pieces) return undefined
  return (text, visit) => {
    const starts = pieces(text)
    for (let index = 0; index < starts.length; index++) {
      const end = starts[index + 1] ?? text.length
      if (visit(end, count(text.slice(starts[index], end))) === false) return
    }
  }
}

/**
 * The ends of the pieces of the text that was split last, and the tokens up to each end. The arrays are reused, because most texts
 * are small and many; only the first `count` items count.
 */
export const taken: { readonly ends: number[]; readonly sums: number[]; count: number } = { ends: [], sums: [], count: 0 }

/** Longer reused arrays are emptied. */
const keptPieces = 16_384

/** Splits a text and reads {@link taken}. Whoever splits a whole text has the same visitor, so that V8 compiles a scan for it once. */
export function takePieces<Read>(text: string, scan: PieceScan, read: () => Read): Read {
  taken.count = 0
  scan(text, takePiece)
  const result = read()
  if (taken.count > keptPieces) taken.ends.length = taken.sums.length = 0
  return result
}

function takePiece(end: number, tokens: number): undefined {
  const { ends, sums, count } = taken
  ends[count] = end
  sums[count] = tokens + (count === 0 ? 0 : (sums[count - 1] ?? 0))
  taken.count = count + 1
}

/** All pieces of a text. */
export function scanWhole(text: string, scan: PieceScan): PieceWindow {
  return takePieces(text, scan, () => {
    const ends = taken.ends.slice(0, taken.count)
    const tokens = taken.sums.slice(0, taken.count)
    for (let index = tokens.length - 1; index > 0; index--) tokens[index] = (tokens[index] ?? 0) - (tokens[index - 1] ?? 0)
    return { text, ends, tokens, isWhole: true }
  })
}

/** The pieces of a window from index `from` up to `to`. */
export function sliceWindow(window: PieceWindow, from: number, to: number = window.ends.length): PieceWindow {
  if (from === 0 && to === window.ends.length) return window
  const start = startOf(window, from)
  const end = to === window.ends.length ? window.text.length : startOf(window, to)
  return {
    text: window.text.slice(start, end),
    ends: endsFrom(window.ends, { from, to, start }),
    tokens: window.tokens.slice(from, to),
    isWhole: false,
  }
}

/** The ends of the pieces from index `from` up to `to`, counted from the place `start`. */
export function endsFrom(
  ends: readonly number[],
  { from, to, start }: { readonly from: number; readonly to: number; readonly start: number },
): number[] {
  const moved = ends.slice(from, to)
  for (let index = 0; index < moved.length; index++) moved[index] = (moved[index] ?? 0) - start
  return moved
}

/** The start of a piece; the window's end for the index after the last piece. */
export function startOf({ ends }: PieceWindow, piece: number): number {
  return piece === 0 ? 0 : (ends[piece - 1] ?? 0)
}

/** Tokens of the pieces from index `from` up to `to`. */
export function sumTokens(tokens: readonly number[], from: number, to: number): number {
  let sum = 0
  for (let index = from; index < to; index++) sum += tokens[index] ?? 0
  return sum
}
