import type { PieceVisitor, TokenCounter } from "../../core/ports.ts"

/** Some pieces of a text that follow each other, and their characters. */
export interface PieceWindow {
  readonly text: string
  /** Where each piece ends in `text`; the first begins at 0. */
  readonly ends: readonly number[]
  /** The tokens of each piece. */
  readonly tokens: readonly number[]
  /** True when these are all pieces: of a message up to here, or of a part. */
  readonly isWhole: boolean
}

/** Splits a text and counts its pieces in one pass. */
export type PieceScan = (text: string, visit: PieceVisitor) => void

/** No pieces: where a message begins. */
export const noPieces: PieceWindow = { text: "", ends: [], tokens: [], isWhole: true }

/** The scan of a counter; `undefined` for one that says nothing of pieces. */
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

/** All pieces of a text. */
export function scanWhole(text: string, scan: PieceScan): PieceWindow {
  const ends: number[] = []
  const tokens: number[] = []
  scan(text, (end, count) => {
    ends.push(end)
    tokens.push(count)
    return true
  })
  return { text, ends, tokens, isWhole: true }
}

/** The pieces of a window from number `from` up to number `to`. */
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

/** Where the pieces from number `from` up to number `to` end, counted from `start`. */
export function endsFrom(
  ends: readonly number[],
  { from, to, start }: { readonly from: number; readonly to: number; readonly start: number },
): number[] {
  const moved = ends.slice(from, to)
  for (let index = 0; index < moved.length; index++) moved[index] = (moved[index] ?? 0) - start
  return moved
}

/** Where a piece begins; the window's end for the one after the last. */
export function startOf({ ends }: PieceWindow, piece: number): number {
  return piece === 0 ? 0 : (ends[piece - 1] ?? 0)
}

/** Tokens of the pieces from number `from` up to number `to`. */
export function sumTokens(tokens: readonly number[], from: number, to: number): number {
  let sum = 0
  for (let index = from; index < to; index++) sum += tokens[index] ?? 0
  return sum
}
