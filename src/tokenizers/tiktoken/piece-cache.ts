/** Counts of pieces, by their text. */
export interface PieceCache {
  get(piece: string): number | undefined
  set(piece: string, tokens: number): void
}

/** How much one of a cache's two generations holds. */
export interface GenerationLimit {
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
