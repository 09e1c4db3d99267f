import type { PieceVisitor, TokenCounter } from "../../../core/ports.ts"

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
