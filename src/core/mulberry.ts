import { hashText } from "./fingerprint.ts"
import type { RandomSource } from "./ports.ts"

/** Random numbers that depend on a text or a whole number alone (mulberry32), for chance that comes out the same when work is repeated. */
export function mulberry32(seed: string | number): RandomSource {
  let state = typeof seed === "string" ? hashText(seed).low : seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
