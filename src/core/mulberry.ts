import { hashText } from "./fingerprint.ts"
import type { RandomSource } from "./ports.ts"

/** Random numbers that depend on a text alone (mulberry32), for chance that comes out the same when work is repeated. */
export function mulberry32(seed: string): RandomSource {
  let state = hashText(seed).low
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
