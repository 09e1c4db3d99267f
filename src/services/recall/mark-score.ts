import { numberMark, timeMark, toldMark } from "./document-columns.ts"
import type { DocumentTable } from "./document-table.ts"
import { rarity } from "./field-index.ts"
import type { QueryPlan } from "./query-plan.ts"
import { dayMatch, toldMatch } from "./time/time-match.ts"

/** Each slot's match with a mark, times the rarity of the mark: who and when count as a word does that is as rare. */
function markScores(table: DocumentTable, match: (slot: number) => number): Float64Array {
  const { slots, size } = table
  const { live } = table.columns
  const matches = table.scoreArrays.take()
  let found = 0
  for (let slot = 0; slot < slots; slot++) {
    if (live[slot] === 0) continue
    const value = match(slot)
    matches[slot] = value
    if (value >= 0.5) found++
  }
  const rare = rarity(size, found)
  for (let slot = 0; slot < slots; slot++) matches[slot] = (matches[slot] ?? 0) * rare
  return matches
}

/** The speaker is one the question is about. */
export function speakerScores(table: DocumentTable, { speakerIds }: QueryPlan): Float64Array {
  const numbers = new Set([...speakerIds].map((id) => table.speakerNumber(id)))
  const { speaker } = table.columns
  return markScores(table, (slot) => (numbers.has(speaker[slot] ?? -1) ? 1 : 0))
}

/** It was said, or tells of something, at a time the question names. */
export function timeScores(table: DocumentTable, { times }: QueryPlan, dayOf: (atMs: number) => number): Float64Array {
  const { atMs, marks, toldFromDay, toldToDay } = table.columns
  const byDay = new Map<number, number>()
  const matchOn = (day: number) => {
    const known = byDay.get(day)
    if (known !== undefined) return known
    const match = dayMatch(times, day)
    byDay.set(day, match)
    return match
  }
  return markScores(table, (slot) => {
    const said = matchOn(dayOf(atMs[slot] ?? 0))
    if (said === 1 || ((marks[slot] ?? 0) & toldMark) === 0) return said
    return Math.max(said, toldMatch(times, { fromDay: toldFromDay[slot] ?? 0, toDay: toldToDay[slot] ?? 0 }))
  })
}

/** It says when, or how many, as the question asks. */
export function answerScores(table: DocumentTable, { asked }: QueryPlan): Float64Array {
  const { marks } = table.columns
  const wanted = (asked.time ? timeMark : 0) | (asked.number ? numberMark : 0)
  return markScores(table, (slot) => (((marks[slot] ?? 0) & wanted) === 0 ? 0 : 1))
}
