import type { PieceVisitor } from "../../core/ports.ts"
import { loadClasses } from "./char-class.ts"
import { PieceMerge, type Work } from "./piece-merge.ts"
import type { RankTable } from "./rank-table.ts"
import type { Split } from "./split.ts"

/** Counts the tokens of an encoding. A lone surrogate counts as U+FFFD: that is what it becomes on its way to a model. */
export interface Encoder {
  count(text: string): number
  /** The offsets at which the pieces begin, in UTF-16 units. */
  pieces(text: string): Uint32Array
  /** Visits the pieces in order, each with its tokens, until the visitor returns false. */
  scan(text: string, visit: PieceVisitor): void
  /** The most UTF-16 units that a token can span: each unit takes a byte or more. */
  readonly longestToken: number
}

/** The tokens of an encoding and its pattern. */
interface EncoderParts {
  readonly table: RankTable
  readonly split: Split
  /** Counts the steps of merging, for tests and benchmarks. */
  readonly work?: Work
}

/** A pattern looks at no more characters behind the piece that it matches. */
const lookAhead = 4

/** Makes an encoder. It splits a text and counts piece by piece. */
export function createEncoder({ table, split, work = { steps: 0 } }: EncoderParts): Encoder {
  loadClasses()
  const countPiece = pieceCounter(table, work)
  return {
    longestToken: table.longestBytes,
    count(text) {
      const wellFormed = text.toWellFormed()
      let total = 0
      for (let at = 0, end = 0; at < wellFormed.length; at = end) {
        end = split(wellFormed, at)
        total += countPiece(wellFormed, at, end)
      }
      return total
    },
    scan(text, visit) {
      let { wellFormed, end: known } = wellFormedUpTo(text, 0)
      for (let at = 0, end = 0; at < wellFormed.length; at = end) {
        end = split(wellFormed, at)
        while (end + lookAhead > known && known < wellFormed.length) {
          ;({ wellFormed, end: known } = wellFormedUpTo(wellFormed, known))
          end = split(wellFormed, at)
        }
        if (visit(end, countPiece(wellFormed, at, end)) === false) return
      }
    },
    pieces(text) {
      const wellFormed = text.toWellFormed()
      const starts: number[] = []
      for (let at = 0; at < wellFormed.length; at = split(wellFormed, at)) starts.push(at)
      return Uint32Array.from(starts)
    },
  }
}

/** The first block of a scan, in characters. Each next block is as long as all before it, so a scan that ends early costs little. */
const firstBlock = 4096

/** Makes sure that the text is well-formed from `from` up to `end`. If it is not, the whole text is made well-formed. */
function wellFormedUpTo(text: string, from: number): { readonly wellFormed: string; readonly end: number } {
  const most = Math.min(text.length, Math.max(firstBlock, from * 2))
  const partsPair = most < text.length && /[\ud800-\udbff]/.test(text.charAt(most - 1))
  const end = partsPair ? most + 1 : most
  return text.slice(from, end).isWellFormed() ? { wellFormed: text, end } : { wellFormed: text.toWellFormed(), end: text.length }
}

/** Longer pieces are not cached. */
const cachedCharacters = 128

/** Half of the cache: in all it holds at most 16,384 pieces and 262,144 characters. */
const generation = { pieces: 8192, characters: 131_072 }

/** Buffers for pieces of so many bytes are reused. A longer piece gets its own. */
const keptBytes = 4096

/** Returns a function that counts a piece: it is one token, or it is in the cache, or its tokens are merged. */
function pieceCounter(table: RankTable, work: Work): (text: string, from: number, to: number) => number {
  const cache = createPieceCache(generation)
  const keptMerge = new PieceMerge(keptBytes, table, work)
  const kept = new Uint8Array(keptBytes)
  const merge = (bytes: Uint8Array, length: number): number =>
    (length <= keptBytes ? keptMerge : new PieceMerge(length, table, work)).run(bytes, length)
  return (text, from, to) => {
    const mostBytes = (to - from) * 3
    const bytes = mostBytes <= keptBytes ? kept : new Uint8Array(mostBytes)
    const length = writeUtf8(text, from, to, bytes)
    if (table.rank(bytes, 0, length) >= 0) return 1
    if (to - from > cachedCharacters) return merge(bytes, length)
    const piece = text.slice(from, to)
    const known = cache.get(piece)
    if (known !== undefined) return known
    const count = merge(bytes, length)
    cache.set(piece, count)
    return count
  }
}

/** Counts of pieces, by their text. */
interface PieceCache {
  get(piece: string): number | undefined
  set(piece: string, tokens: number): void
}

/**
 * Makes a cache of two generations. A full young generation becomes the old one, and the old one is dropped: only pieces that were
 * asked for since are kept. The cache holds at most twice the limit.
 */
export function createPieceCache(limit: { readonly pieces: number; readonly characters: number }): PieceCache {
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
    get(piece) {
      const found = young.get(piece)
      if (found !== undefined) return found
      const foundOld = old.get(piece)
      if (foundOld !== undefined) add(detach(piece), foundOld)
      return foundOld
    },
    set: (piece, tokens) => add(detach(piece), tokens),
  }
}

/** Copies a piece, because the result of `slice` can keep the whole text in memory. */
function detach(piece: string): string {
  return ` ${piece}`.slice(1)
}

/**
 * Writes a well-formed text from `from` to `to` as UTF-8 into `bytes`, and returns how many bytes it wrote. `bytes` needs room for three
 * per UTF-16 unit.
 */
export function writeUtf8(text: string, from: number, to: number, bytes: Uint8Array): number {
  let end = 0
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) {
      bytes[end++] = unit
      continue
    }
    if (unit < 0x800) {
      bytes[end++] = 0xc0 | (unit >> 6)
    } else {
      const codePoint = text.codePointAt(at) ?? 0
      if (codePoint < 0x10000) {
        bytes[end++] = 0xe0 | (codePoint >> 12)
      } else {
        at++
        bytes[end++] = 0xf0 | (codePoint >> 18)
        bytes[end++] = 0x80 | ((codePoint >> 12) & 0x3f)
      }
      bytes[end++] = 0x80 | ((codePoint >> 6) & 0x3f)
    }
    bytes[end++] = 0x80 | (text.charCodeAt(at) & 0x3f)
  }
  return end
}
