import type { PieceVisitor } from "../../../core/ports.ts"
import { loadClasses } from "./char-class.ts"
import { LongPieces } from "./long-pieces.ts"
import type { MergeWork } from "./piece-merge.ts"
import type { RankTable } from "./rank-table.ts"
import type { Split } from "./split.ts"
import { TextMerge } from "./text-merge.ts"

/** Counts the tokens of an encoding. A lone surrogate counts as U+FFFD: that is what it becomes on its way to a model. */
export type Encoder = ReturnType<typeof createEncoder>

/** The tokens of an encoding and its pattern. */
interface EncoderParts {
  readonly table: RankTable
  readonly split: Split
  /** Counts the steps of merging, for tests and benchmarks. */
  readonly work?: MergeWork
}

/** A pattern looks at no more characters behind the piece that it matches. */
const lookAhead = 4

/** Makes an encoder. It splits a text and counts piece by piece. */
export function createEncoder({ table, split, work = { steps: 0 } }: EncoderParts) {
  loadClasses()
  const countPiece = pieceCounter(table, work)
  return {
    /** The most UTF-16 units that a token can span: each unit takes a byte or more. */
    longestToken: table.longestBytes,
    count(text: string): number {
      const wellFormed = text.toWellFormed()
      let total = 0
      for (let at = 0, end = 0; at < wellFormed.length; at = end) {
        end = split(wellFormed, at)
        total += countPiece(wellFormed, at, end)
      }
      return total
    },
    /** Visits the pieces in order, each with its tokens, until the visitor returns false. */
    scan(text: string, visit: PieceVisitor): void {
      let { wellFormed, end: known } = wellFormedUpTo(text, 0, firstBlock)
      for (let at = 0, end = 0; at < wellFormed.length; at = end) {
        end = split(wellFormed, at)
        if (end + lookAhead > known && known < wellFormed.length) {
          const before = wellFormed
          ;({ wellFormed, end: known } = wellFormedUpTo(before, known, Math.max(known * 2, end + lookAhead)))
          if (wellFormed !== before) end = split(wellFormed, at)
        }
        if (visit(end, countPiece(wellFormed, at, end)) === false) return
      }
    },
    /** The offsets at which the pieces begin, in UTF-16 units. */
    pieces(text: string): Uint32Array {
      const wellFormed = text.toWellFormed()
      const starts: number[] = []
      for (let at = 0; at < wellFormed.length; at = split(wellFormed, at)) starts.push(at)
      return Uint32Array.from(starts)
    },
  }
}

/** The first block of a scan, in characters. Each next block is as long as all before it, so a scan that ends early costs little. */
const firstBlock = 4096

/** Makes sure that the text is well-formed from `from` up to `to`. If it is not, the whole text is made well-formed. */
function wellFormedUpTo(text: string, from: number, to: number): { readonly wellFormed: string; readonly end: number } {
  const partsPair = to < text.length && /[\ud800-\udbff]/.test(text.charAt(to - 1))
  const end = Math.min(text.length, partsPair ? to + 1 : to)
  return text.slice(from, end).isWellFormed() ? { wellFormed: text, end } : { wellFormed: text.toWellFormed(), end: text.length }
}

/** Longer pieces are not cached: of them, the places where tokens end are remembered. */
const cachedCharacters = 512

/** Half of the cache: in all it holds at most 16,384 pieces and 262,144 characters. */
const generation = { pieces: 8192, characters: 131_072 }

/** Returns a function that counts a piece: it is one token, or it is in the cache, or its tokens are merged. */
function pieceCounter(table: RankTable, work: MergeWork): (text: string, from: number, to: number) => number {
  const cache = createPieceCache(generation)
  const merge = new TextMerge(table, work)
  const longPieces = new LongPieces(table, work)
  return (text, from, to) => {
    if (to - from > cachedCharacters) return longPieces.count(text.slice(from, to))
    merge.load(text, from, to)
    if (merge.isToken()) return 1
    const piece = text.slice(from, to)
    const known = cache.get(piece)
    if (known !== undefined) return known
    const count = merge.run()
    cache.set(piece, count)
    return count
  }
}

/**
 * Makes a cache of counts of pieces, of two generations. A full young generation becomes the old one, and the old one is dropped: only pieces that were
 * asked for since are kept. The cache holds at most twice the limit.
 */
export function createPieceCache(limit: { readonly pieces: number; readonly characters: number }) {
  let young = new Map<string, number>()
  let old = new Map<string, number>()
  let characters = 0
  const add = (piece: string, tokens: number): void => {
    if (young.size >= limit.pieces || characters + piece.length > limit.characters) {
      old = young
      young = new Map()
      characters = 0
    }
    young.set(piece, tokens)
    characters += piece.length
  }
  return {
    get(piece: string): number | undefined {
      const found = young.get(piece)
      if (found !== undefined) return found
      const foundOld = old.get(piece)
      if (foundOld !== undefined) add(detach(piece), foundOld)
      return foundOld
    },
    set: (piece: string, tokens: number) => add(detach(piece), tokens),
  }
}

/** Copies a piece, because the result of `slice` can keep the whole text in memory. */
function detach(piece: string): string {
  return ` ${piece}`.slice(1)
}
