import type { PieceVisitor } from "../../core/ports.ts"
import { loadClasses } from "./char-class.ts"
import { PieceMerge, type Work } from "./piece-merge.ts"
import type { RankTable } from "./rank-table.ts"
import type { Split } from "./split.ts"

/** Counts the tokens of an encoding. A lone surrogate counts as U+FFFD, which is what it becomes on its way to a model. */
export interface Encoder {
  count(text: string): number
  /** Where the pieces begin, in UTF-16 offsets. */
  pieces(text: string): Uint32Array
  /** The pieces in order with their tokens, until the visitor returns false. */
  scan(text: string, visit: PieceVisitor): void
  /** The most UTF-16 units that a token can span: each takes a byte or more. */
  readonly longestToken: number
}

/** What an encoding is: its tokens, and where its pattern cuts. */
interface EncoderParts {
  readonly table: RankTable
  readonly split: Split
  /** Adds up what merging takes. */
  readonly work?: Work
}

/** A piece that is longer is merged anew each time. */
const cachedCharacters = 128

/** Half of what the cache holds: at most 16,384 pieces and 262,144 characters. */
const generation = { pieces: 8192, characters: 131_072 }

/** Room for pieces of so many bytes is kept; a longer one brings its own. */
const keptBytes = 4096

/** A pattern looks at no more characters behind the piece that it matches. */
const lookAhead = 4

/** Characters looked through at first; each time after that as many as before, so that who wants a text's beginning pays for no more. */
const firstBlock = 4096

/** The text with all up to some place behind `from` known to be well-formed: as it was given, or made so as a whole. */
function wellFormedUpTo(text: string, from: number): { readonly wellFormed: string; readonly end: number } {
  const most = Math.min(text.length, Math.max(firstBlock, from * 2))
  const partsPair = most < text.length && /[\ud800-\udbff]/.test(text.charAt(most - 1))
  const end = partsPair ? most + 1 : most
  return text.slice(from, end).isWellFormed() ? { wellFormed: text, end } : { wellFormed: text.toWellFormed(), end: text.length }
}

/** An encoder that splits a text and counts each piece: one that is a token itself, one it remembers, or one it merges. */
export function createEncoder({ table, split, work = { steps: 0 } }: EncoderParts): Encoder {
  loadClasses()
  const cache = createPieceCache(generation)
  const keptMerge = new PieceMerge(keptBytes, table, work)
  const kept = new Uint8Array(keptBytes)

  const countPiece = (text: string, from: number, to: number): number => {
    const mostBytes = (to - from) * 3
    const bytes = mostBytes <= keptBytes ? kept : new Uint8Array(mostBytes)
    const length = writeUtf8(text, from, to, bytes)
    if (table.rank(bytes, 0, length) >= 0) return 1
    if (to - from > cachedCharacters) return mergePiece(bytes, length)
    const piece = text.slice(from, to)
    const known = cache.get(piece)
    if (known !== undefined) return known
    const count = mergePiece(bytes, length)
    cache.set(piece, count)
    return count
  }
  const mergePiece = (bytes: Uint8Array, length: number): number =>
    (length <= keptBytes ? keptMerge : new PieceMerge(length, table, work)).run(bytes, length)

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

/** Counts of pieces, by their text. */
interface PieceCache {
  get(piece: string): number | undefined
  set(piece: string, tokens: number): void
}

/** How much one of a cache's two generations holds. */
interface GenerationLimit {
  readonly pieces: number
  readonly characters: number
}

/**
 * A cache of two generations: when the young one is full it becomes the old one, and what was in the old one is
 * forgotten unless it was asked for since. It holds at most twice the limit.
 */
export function createPieceCache(limit: GenerationLimit): PieceCache {
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

/** A copy that shares nothing: what `slice` gives may keep the whole text alive that it was cut from. */
function detach(piece: string): string {
  return ` ${piece}`.slice(1)
}

/** Writes the UTF-8 bytes of a well-formed text from `from` to `to` into `bytes`; returns how many. `bytes` has room for three a unit. */
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
