import { endsFrom, type PieceScan, type PieceWindow } from "./piece-window.ts"

/** A counted text: its tokens by itself, and its first and last pieces, from which seams are found. */
export interface Part {
  readonly id: number
  readonly text: string
  readonly tokens: number
  /** The number of pieces. */
  readonly pieces: number
  readonly head: PieceWindow
  readonly tail: Tail
  /** Tokens that no seam can take away: those of the pieces far enough from both ends. */
  readonly innerTokens: number
}

/** The last pieces of a message so far. Text that follows can change only these. */
export interface Tail extends PieceWindow {
  readonly id: number
}

/** The number of pieces kept at each end. A seam changes one or two pieces on each side; if more, the whole texts are split. */
export const edgePieces = 8

let ids = 0

/** A new number for a part or a tail. */
export function nextId(): number {
  return ++ids
}

/**
 * The ends of the pieces of the text that is being split, and the tokens up to each end. The arrays are reused, because most texts
 * are small and many; only the first `taken` items count.
 */
const takenEnds: number[] = []
const takenSums: number[] = []
let taken = 0

function takePiece(end: number, tokens: number): undefined {
  takenEnds[taken] = end
  takenSums[taken] = tokens + (taken === 0 ? 0 : (takenSums[taken - 1] ?? 0))
  taken++
}

/** Splits and counts a text, once. */
export function makePart(text: string, scan: PieceScan): Part {
  taken = 0
  scan(text, takePiece)
  const part = partOfKnown(text, {
    count: taken,
    endOf: (count) => (count === 0 ? 0 : (takenEnds[count - 1] ?? 0)),
    tokensOf: (count) => (count === 0 ? 0 : (takenSums[count - 1] ?? 0)),
  })
  if (taken > keptPieces) takenEnds.length = takenSums.length = 0
  return part
}

/** Longer reused arrays are emptied. */
const keptPieces = 16_384

/** The pieces of a text: their number, and the end and the tokens of the first `count` of them. */
export interface KnownPieces {
  readonly count: number
  endOf(count: number): number
  tokensOf(count: number): number
}

/** Makes the part of a text whose pieces are known. Only its edges are read, so that a long text costs no more than a short one. */
export function partOfKnown(text: string, { count, endOf, tokensOf }: KnownPieces): Part {
  const [near, far] = [edgePieces / 2, count - edgePieces / 2]
  return new EdgedPart(text, {
    pieces: count,
    tokens: tokensOf(count),
    innerTokens: count <= edgePieces ? 0 : tokensOf(far) - tokensOf(near),
    edges: edgesOf({ count, endOf, tokensOf }),
  })
}

/** The pieces at a text's edges as numbers: where the first ones start and end, their tokens, then the same of the last ones. */
function edgesOf({ count, endOf, tokensOf }: KnownPieces): number[] {
  const edges: number[] = []
  for (const from of count <= edgePieces ? [0] : [0, count - edgePieces]) {
    const to = Math.min(count, from + edgePieces)
    for (let piece = from; piece <= to; piece++) edges.push(endOf(piece))
    for (let piece = from; piece < to; piece++) edges.push(tokensOf(piece + 1) - tokensOf(piece))
  }
  return edges
}

/** A part that makes its windows when they are asked for. Most texts are only counted; only those that are sent get seams. */
class EdgedPart implements Part {
  readonly id = nextId()
  readonly text: string
  readonly tokens: number
  readonly pieces: number
  readonly innerTokens: number
  readonly #edges: readonly number[]
  #tail: Tail | undefined

  constructor(text: string, known: Pick<Part, "tokens" | "pieces" | "innerTokens"> & { readonly edges: readonly number[] }) {
    this.text = text
    this.tokens = known.tokens
    this.pieces = known.pieces
    this.innerTokens = known.innerTokens
    this.#edges = known.edges
  }

  get head(): PieceWindow {
    return { ...this.#window(0), isWhole: this.pieces <= edgePieces }
  }

  /** Never whole, because other text may stand before the part. */
  get tail(): Tail {
    this.#tail ??= { id: nextId(), ...this.#window(this.pieces <= edgePieces ? 0 : edgePieces * 2 + 1), isWhole: false }
    return this.#tail
  }

  /** The window whose numbers begin at index `at` of the edges. */
  #window(at: number): Omit<PieceWindow, "isWhole"> {
    const count = Math.min(this.pieces, edgePieces)
    const start = this.#edges[at] ?? 0
    const ends = endsFrom(this.#edges, { from: at + 1, to: at + 1 + count, start })
    const end = start + (ends[count - 1] ?? 0)
    return { text: this.text.slice(start, end), ends, tokens: this.#edges.slice(at + 1 + count, at + 1 + count * 2) }
  }
}
