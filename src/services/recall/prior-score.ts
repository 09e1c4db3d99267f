import { retrievability } from "../../core/retrievability.ts"
import type { DocumentTable } from "./document-table.ts"
import { dayMs } from "./time/local-calendar.ts"

/** So many times its stability after it last came up, a thing is forgotten: 0.9 to this power is nothing beside any other score. */
const forgottenAfter = 300

/** How well each slot is still remembered, from 1 down to 0 (R17). */
export function recencyScores(table: DocumentTable, nowMs: number): Float64Array {
  const { recalledAtMs, stability } = table.columns
  const scores = table.scoreArrays.take()
  for (let slot = 0; slot < scores.length; slot++) {
    const days = (nowMs - (recalledAtMs[slot] ?? 0)) / dayMs
    const stable = stability[slot] ?? 1
    if (!(days > stable * forgottenAfter)) scores[slot] = retrievability(stable, days)
  }
  return scores
}
