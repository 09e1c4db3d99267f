import { checkOptions } from "../../core/check-options.ts"
import { boundedStability, strengthened } from "../../core/retrievability.ts"

/** A moment, by the clock and by the conversation's turns. */
export interface Moment {
  readonly atMs: number
  /** The number of the turn in its conversation, from 0. */
  readonly turn: number
}

/** The time by which things are forgotten: days that pass, or turns, so many to a day (R17). */
export type ForgettingClock = { readonly by: "days" } | { readonly by: "turns"; readonly turnsPerDay: number }

const dayMs = 86_400_000

/** The days from one moment to a later one; never negative. */
export function daysBetween(clock: ForgettingClock, from: Moment, to: Moment): number {
  const days = clock.by === "days" ? (to.atMs - from.atMs) / dayMs : (to.turn - from.turn) / clock.turnsPerDay
  return Math.max(0, days)
}

/** How an item was used when it came up: certainly, or perhaps (R16). */
export type UseKind = "used" | "maybe-used"

/** The numbers of a forgetting curve (R17, R18). */
export interface DecaySettings {
  /** How much a recall strengthens an item: `a` of R17. */
  readonly gain: number
  /** Difficulty `D` of what was used: the higher, the less a recall strengthens it. */
  readonly usedDifficulty: number
  readonly maybeUsedDifficulty: number
  /** Turns since the last mention below which a recall strengthens nothing: `max_jump_mini`. */
  readonly maxJumpMini: number
  /** Turns since the last mention below which a recall strengthens little: `max_jump_large`. */
  readonly maxJumpLarge: number
  /** The addition to the difficulty below `maxJumpLarge`. */
  readonly nearDifficulty: number
}

/** A set of numbers by name: `workspace` for things at hand, `event` for things that happened (R17). */
export type DecayPreset = "workspace" | "event"

const jumps = { maxJumpMini: 3, maxJumpLarge: 8, nearDifficulty: 2 } as const

/** R17 has two sets of parameters: one for workspace items and one for events. */
export const decayPresets: Readonly<Record<DecayPreset, DecaySettings>> = {
  workspace: { gain: 5, usedDifficulty: 0, maybeUsedDifficulty: 0.7, ...jumps },
  event: { gain: 0.3, usedDifficulty: 1, maybeUsedDifficulty: 1, ...jumps },
}

/** An item that came up. */
export interface Review {
  /** Days until the retrievability was 0.9, before this review. */
  readonly stability: number
  /** Days since it last came up. */
  readonly days: number
  readonly use: UseKind
  /** Turns since it was last mentioned. */
  readonly turnsSince: number
  /** Default `workspace`. */
  readonly preset?: DecayPreset | undefined
  /** Replaces the preset's gain. */
  readonly gain?: number | undefined
  /** The item's own difficulty. It replaces the preset's difficulty for this use. */
  readonly difficulty?: number | undefined
  /** These numbers replace the preset's, one by one. */
  readonly settings?: Partial<DecaySettings> | undefined
}

/**
 * The stability of an item after it came up: `S · (1 + a · e^−D · (1 − R))` (R17). If it was mentioned only `maxJumpMini` turns ago the
 * stability stays, below `maxJumpLarge` turns it grows little, else in full (R18). It is never lower than before, never above a hundred
 * years, and always finite.
 */
export function reviewStability(review: Review): number {
  checkOptions("reviewStability", review, "stability days use turnsSince preset gain difficulty settings")
  checkOptions("settings of reviewStability", review.settings ?? {}, decayPresets.workspace)
  const { use, turnsSince, days, preset = "workspace", settings } = review
  const { maxJumpMini, maxJumpLarge, nearDifficulty, ...numbers } = { ...decayPresets[preset], ...settings }
  const stability = boundedStability(review.stability)
  if (turnsSince < maxJumpMini) return stability
  const own = review.difficulty ?? (use === "used" ? numbers.usedDifficulty : numbers.maybeUsedDifficulty)
  const difficulty = turnsSince < maxJumpLarge ? own + nearDifficulty : own
  return strengthened({ stability, days, gain: (review.gain ?? numbers.gain) * Math.exp(-difficulty) })
}
