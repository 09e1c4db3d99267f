import { strengthened } from "../../../core/retrievability.ts"
import type { StoredMemory } from "./records.ts"

const maxAgain = 8

/** A memory whose words were said again at another time; the same memory if it knows that time. Of such times it keeps the newest eight. */
export function saidAgain(memory: StoredMemory, atMs: number): StoredMemory {
  const { againAtMs = [] } = memory
  if (atMs === memory.atMs || againAtMs.includes(atMs)) return memory
  return { ...memory, againAtMs: [...againAtMs, atMs].sort((a, b) => a - b).slice(-maxAgain) }
}

/** R17's `a` for things at hand: what comes up again when it is nearly forgotten becomes about six times as stable. */
const gain = 5
const dayMs = 86_400_000

/** A memory that was used at a moment, with its new stability; the same memory if it was used then or later already. */
export function usedAgain<M extends Pick<StoredMemory, "atMs" | "againAtMs" | "stability" | "usedAtMs">>(
  memory: M,
  atMs: number,
): M {
  const { usedAtMs = Number.NEGATIVE_INFINITY, againAtMs = [], stability = 1 } = memory
  if (!(atMs > usedAtMs)) return memory
  // It also comes up when its words are said again.
  const saidMs = [memory.atMs, ...againAtMs].filter((saidMs) => saidMs <= atMs)
  const days = (atMs - Math.max(usedAtMs, ...saidMs)) / dayMs
  return { ...memory, usedAtMs: atMs, stability: strengthened({ stability, days, gain }) }
}
