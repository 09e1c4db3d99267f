import { endsFrom, type PieceScan, type PieceWindow, sumTokens } from "./piece-window.ts"

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

/**
 * Where the pieces of the text that is being split end, and their tokens: made once and never emptied, as most texts are
 * small and many. Only the first `taken` count.
 */
const takenEnds: number[] = []
const takenTokens: number[] = []
let taken = 0

function takePiece(end: number, count: number): undefined {
  takenEnds[taken] = end
  takenTokens[taken] = count
  taken++
}

/** Splits and counts a text, once. */
export function makePart(text: string, scan: PieceScan): Part {
  taken = 0
  scan(text, takePiece)
  const part = partOfFirst(taken, { text, ends: takenEnds, tokens: takenTokens, isWhole: true })
  if (taken > keptPieces) takenEnds.length = takenTokens.length = 0
  return part
}

/** Room for so many pieces is kept. */
const keptPieces = 16_384

/** What is known of a text's pieces: how many there are, where the first so many end, and their tokens. */
export interface KnownPieces {
  readonly count: number
  endOf(count: number): number
  tokensOf(count: number): number
}

/** The part of a text whose pieces are known. Only its edges are read, so that a long text takes no more than a short one. */
export function partOfKnown(text: string, pieces: KnownPieces): Part {
  const { count } = pieces
  const window = (from: number, to: number): Omit<PieceWindow, "isWhole"> => {
    const start = pieces.endOf(from)
    const ends: number[] = []
    const tokens: number[] = []
    for (let piece = from; piece < to; piece++) {
      ends.push(pieces.endOf(piece + 1) - start)
      tokens.push(pieces.tokensOf(piece + 1) - pieces.tokensOf(piece))
    }
    return { text: text.slice(start, pieces.endOf(to)), ends, tokens }
  }
  const isShort = count <= edgePieces
  const [near, far] = [edgePieces / 2, count - edgePieces / 2]
  return {
    id: nextId(),
    text,
    tokens: pieces.tokensOf(count),
    pieces: count,
    head: { ...window(0, Math.min(count, edgePieces)), isWhole: isShort },
    tail: tailOf(window(Math.max(0, count - edgePieces), count)),
    innerTokens: isShort ? 0 : pieces.tokensOf(far) - pieces.tokensOf(near),
  }
}

/** The part of a text that has so many pieces, the first ones of those given. */
function partOfFirst(pieces: number, { text, ends, tokens }: PieceWindow): Part {
  const total = sumTokens(tokens, 0, pieces)
  if (pieces <= edgePieces) {
    const whole = { text, ends: ends.slice(0, pieces), tokens: tokens.slice(0, pieces), isWhole: true }
    return { id: nextId(), text, tokens: total, pieces, head: whole, tail: tailOf(whole), innerTokens: 0 }
  }
  const [near, far] = [edgePieces / 2, pieces - edgePieces]
  const start = ends[far - 1] ?? 0
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
    tail: tailOf({
      text: text.slice(start),
      ends: endsFrom(ends, { from: far, to: pieces, start }),
      tokens: tokens.slice(far, pieces),
    }),
    innerTokens: sumTokens(tokens, near, pieces - near),
  }
}

/** Something may stand before the part, so its pieces are not all there are. */
function tailOf({ text, ends, tokens }: Omit<PieceWindow, "isWhole">): Tail {
  return { id: nextId(), text, ends, tokens, isWhole: false }
}
