import type { DocumentTable } from "../documents/document-table.ts"
import { nearness } from "./field-score.ts"

/** The most lines on each side of the best one. */
const reach = 6
/** The share of the best line's score that the first line behind it has, and each further one of the line before it. */
const further = 0.95
/** People tell more after a line than they told before it. */
const before = 0.5

/**
 * Scores the lines around the best one in its talk: what is said about one thing stands together, also where it shares no word with
 * the question. A line is brought up to its part of the best line's evidence, the shorter and the further in time it is the less; one that has more keeps that.
 */
export function talkScores(
  table: DocumentTable,
  best: number,
  { evidence, weight }: { readonly evidence: (slot: number) => number; readonly weight: number },
): Map<number, number> {
  const scores = new Map<number, number>()
  const most = evidence(best)
  const toldIn = shareTold(table)
  for (const [beside, share] of [[table.links.next, 1] as const, [table.links.previous, before] as const]) {
    let part = most * share
    let slot = beside[best] ?? -1
    for (let lines = 0; lines < reach && slot >= 0; lines++) {
      const near = part * nearness(table, best, slot)
      scores.set(slot, Math.max(0, near * toldIn(slot) - evidence(slot) / weight))
      part *= further
      slot = beside[slot] ?? -1
    }
  }
  return scores
}

/** How long a line is beside one of mean length, at most 1: a cheer tells nothing. */
function shareTold({ fields: { words, characters }, size }: DocumentTable): (slot: number) => number {
  const mean = Math.max(1, (words.totalLength + characters.totalLength) / Math.max(1, size))
  return (slot) => Math.min(1, ((words.lengths[slot] ?? 0) + (characters.lengths[slot] ?? 0)) / mean)
}
