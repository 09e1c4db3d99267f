import { type PieceScan, type PieceWindow, sumTokens } from "./piece-window.ts"

/** A counted text: its tokens alone, and its first and last pieces, by which seams are settled. */
export interface Part {
  readonly id: number
  readonly text: string
  readonly tokens: number
  /** How many pieces it has. */
  readonly pieces: number
  readonly head: PieceWindow
  readonly tail: Tail
  /** Tokens that no seam takes away: those of the pieces that stand well inside. */
  readonly innerTokens: number
}

/** The last pieces of a message up to some point: all that what follows can change. */
export interface Tail extends PieceWindow {
  readonly id: number
}

/** A seam reaches over one or two pieces to each side; so many are kept, and the whole is split where they are not enough. */
export const edgePieces = 8

let ids = 0

/** A number for a part or a tail, never given twice. */
export function nextId(): number {
  return ++ids
}

/** Where the pieces of the text that is being split end, and their tokens: made once, as most texts are small and many. */
const ends: number[] = []
const tokens: number[] = []

function takePiece(end: number, count: number): undefined {
  ends.push(end)
  tokens.push(count)
}

/** Splits and counts a text, once. */
export function makePart(text: string, scan: PieceScan): Part {
  ends.length = 0
  tokens.length = 0
  scan(text, takePiece)
  return partOf({ text, ends, tokens, isWhole: true })
}

/** The part of a text whose pieces are known. */
export function partOf({ text, ends, tokens }: PieceWindow): Part {
  const pieces = ends.length
  const total = sumTokens(tokens, 0, pieces)
  if (pieces <= edgePieces) {
    const whole = { text, ends: ends.slice(), tokens: tokens.slice(), isWhole: true }
    return { id: nextId(), text, tokens: total, pieces, head: whole, tail: tailOf(whole), innerTokens: 0 }
  }
  const [near, far] = [edgePieces / 2, pieces - edgePieces]
  return {
    id: nextId(),
    text,
    tokens: total,
    pieces,
    head: {
      text: text.slice(0, ends[edgePieces - 1]),
      ends: ends.slice(0, edgePieces),
      tokens: tokens.slice(0, edgePieces),
      isWhole: false,
    },
    tail: tailFrom({ text, ends, tokens, isWhole: true }, far),
    innerTokens: sumTokens(tokens, near, pieces - near),
  }
}

function tailFrom({ text, ends, tokens }: PieceWindow, from: number): Tail {
  const start = ends[from - 1] ?? 0
  const own = ends.slice(from)
  for (let index = 0; index < own.length; index++) own[index] = (own[index] ?? 0) - start
  return { id: nextId(), text: text.slice(start), ends: own, tokens: tokens.slice(from), isWhole: false }
}

/** Something may stand before the part, so its pieces are not all there are. */
function tailOf({ text, ends, tokens }: PieceWindow): Tail {
  return { id: nextId(), text, ends, tokens, isWhole: false }
}
