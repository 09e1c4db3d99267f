import type { RandomSource } from "../core/ports.ts"

/** How long is waited between attempts to start a server. */
export const backoff = { baseMs: 250, maxMs: 30_000, attempts: 5 } as const

/** Nothing before the first attempt; then 250 ms, twice that each time, at most 30 s, and of that a random half to whole. */
export function backoffMs(failures: number, random: RandomSource): number {
  if (failures === 0) return 0
  const whole = Math.min(backoff.maxMs, backoff.baseMs * 2 ** (failures - 1))
  return Math.round(whole * (0.5 + random() / 2))
}
