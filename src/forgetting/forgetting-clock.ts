/** A moment, told by the clock and by the conversation's turns. */
export interface Moment {
  readonly atMs: number
  /** The turn's number in its conversation, from 0. */
  readonly turn: number
}

/** What time means for forgetting: days that pass, or turns, so many to a day (R17). */
export type ForgettingClock = { readonly by: "days" } | { readonly by: "turns"; readonly turnsPerDay: number }

const dayMs = 86_400_000

/** Days from one moment to a later one; never negative. */
export function daysBetween(clock: ForgettingClock, from: Moment, to: Moment): number {
  const days = clock.by === "days" ? (to.atMs - from.atMs) / dayMs : (to.turn - from.turn) / clock.turnsPerDay
  return Math.max(0, days)
}
