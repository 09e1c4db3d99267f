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
export function partOfKnown(text: string, { count, endOf, tokensOf }: KnownPieces): Part {
  const [near, far] = [edgePieces / 2, count - edgePieces / 2]
  return new EdgedPart(text, {
    pieces: count,
    tokens: tokensOf(count),
    innerTokens: count <= edgePieces ? 0 : tokensOf(far) - tokensOf(near),
    edges: edgesOf(count, endOf, (piece) => tokensOf(piece + 1) - tokensOf(piece)),
  })
}

/** The part of a text that has so many pieces, the first ones of those given. */
function partOfFirst(pieces: number, { text, ends, tokens }: PieceWindow): Part {
  const near = edgePieces / 2
  return new EdgedPart(text, {
    pieces,
    tokens: sumTokens(tokens, 0, pieces),
    innerTokens: pieces <= edgePieces ? 0 : sumTokens(tokens, near, pieces - near),
    edges: edgesOf(
      pieces,
      (count) => (count === 0 ? 0 : (ends[count - 1] ?? 0)),
      (piece) => tokens[piece] ?? 0,
    ),
  })
}

/** Where the pieces at a text's edges begin and end and what they have: the first ones' ends and tokens, then those of the last ones. */
function edgesOf(pieces: number, endOf: (count: number) => number, tokensOf: (piece: number) => number): number[] {
  const edges: number[] = []
  for (const from of pieces <= edgePieces ? [0] : [0, pieces - edgePieces]) {
    const to = Math.min(pieces, from + edgePieces)
    for (let piece = from; piece <= to; piece++) edges.push(endOf(piece))
    for (let piece = from; piece < to; piece++) edges.push(tokensOf(piece))
  }
  return edges
}

/** A part whose windows are made when they are asked for: most texts are counted, and only those that are sent meet others. */
class EdgedPart implements Part {
  readonly id = nextId()
  readonly text: string
  readonly tokens: number
  readonly pieces: number
  readonly innerTokens: number
  readonly #edges: readonly number[]
  #tail: Tail | undefined

  constructor(
    text: string,
    {
      tokens,
      pieces,
      innerTokens,
      edges,
    }: Pick<Part, "tokens" | "pieces" | "innerTokens"> & { readonly edges: readonly number[] },
  ) {
    this.text = text
    this.tokens = tokens
    this.pieces = pieces
    this.innerTokens = innerTokens
    this.#edges = edges
  }

  get head(): PieceWindow {
    return { ...this.#window(0), isWhole: this.pieces <= edgePieces }
  }

  /** Something may stand before the part, so its pieces are not all there are. */
  get tail(): Tail {
    this.#tail ??= { id: nextId(), ...this.#window(this.pieces <= edgePieces ? 0 : edgePieces * 2 + 1), isWhole: false }
    return this.#tail
  }

  /** The window whose numbers begin at a place of the edges. */
  #window(at: number): Omit<PieceWindow, "isWhole"> {
    const count = Math.min(this.pieces, edgePieces)
    const start = this.#edges[at] ?? 0
    const ends = endsFrom(this.#edges, { from: at + 1, to: at + 1 + count, start })
    const end = start + (ends[count - 1] ?? 0)
    return { text: this.text.slice(start, end), ends, tokens: this.#edges.slice(at + 1 + count, at + 1 + count * 2) }
  }
}
