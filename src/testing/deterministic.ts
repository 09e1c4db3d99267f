import type { IdGenerator, RandomSource } from "../core/ports.ts"

/** Ids that count up per prefix: `turn-1`, `turn-2`, `call-1`. */
export function countingIds(): IdGenerator {
  const counts = new Map<string, number>()
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1
      counts.set(prefix, count)
      return `${prefix}-${count}`
    },
  }
}

/** The same numbers for the same seed, evenly spread over [0, 1). Not for secrets. */
export function seededRandom(seed: number): RandomSource {
  let state = seed | 0
  return () => {
    // A Weyl sequence, scrambled: neighbouring seeds and neighbouring draws share no pattern.
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}
