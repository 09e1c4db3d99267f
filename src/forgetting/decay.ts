import { boundedStability, maxStabilityDays, retrievability } from "../core/retrievability.ts"

/** How a thing was used when it came up: certainly, or perhaps (R16). */
export type Use = "used" | "maybe-used"

/** The numbers of a forgetting curve (R17, R18). */
export interface DecaySettings {
  /** How much a recall strengthens: `a` of R17. */
  readonly gain: number
  /** Difficulty `D` of what was used: the higher, the less a recall strengthens. */
  readonly usedDifficulty: number
  readonly maybeUsedDifficulty: number
  /** Turns since the last mention below which a recall strengthens nothing: `max_jump_mini`. */
  readonly maxJumpMini: number
  /** Turns since the last mention below which a recall strengthens little: `max_jump_large`. */
  readonly maxJumpLarge: number
  /** What is added to the difficulty then. */
  readonly nearDifficulty: number
}

/** A set of numbers by name: `workspace` for what is at hand, `event` for what happened (R17). */
export type DecayPreset = "workspace" | "event"

const jumps = { maxJumpMini: 3, maxJumpLarge: 8, nearDifficulty: 2 } as const

/** R17 has two sets of parameters: one for workspace items and one for events. */
export const decayPresets: Readonly<Record<DecayPreset, DecaySettings>> = {
  workspace: { gain: 5, usedDifficulty: 0, maybeUsedDifficulty: 0.7, ...jumps },
  event: { gain: 0.3, usedDifficulty: 1, maybeUsedDifficulty: 1, ...jumps },
}

/** What a review is told. */
export interface Review {
  /** Days until the retrievability was 0.9, before this review. */
  readonly stability: number
  /** Days since it last came up. */
  readonly days: number
  readonly use: Use
  /** Turns since it was last mentioned. */
  readonly turnsSince: number
  /** Default `workspace`. */
  readonly preset?: DecayPreset
  /** Instead of the preset's. */
  readonly gain?: number
  /** The thing's own difficulty, instead of the preset's for this use. */
  readonly difficulty?: number
  /** Instead of the preset's numbers, one by one. */
  readonly settings?: Partial<DecaySettings>
}

/**
 * The stability after something came up: `S · (1 + a · e^−D · (1 − R))` (R17). Mentioned a moment ago it stays, lately it
 * grows little, else in full (R18). Never below what it was, never above a hundred years, always finite.
 */
export function reviewStability(review: Review): number {
  const { use, turnsSince, days, preset = "workspace", settings } = review
  const { maxJumpMini, maxJumpLarge, nearDifficulty, ...numbers } = { ...decayPresets[preset], ...settings }
  const stability = boundedStability(review.stability)
  if (turnsSince < maxJumpMini) return stability
  const own = review.difficulty ?? (use === "used" ? numbers.usedDifficulty : numbers.maybeUsedDifficulty)
  const difficulty = turnsSince < maxJumpLarge ? own + nearDifficulty : own
  const growth = (review.gain ?? numbers.gain) * Math.exp(-difficulty) * (1 - retrievability(stability, days))
  return Math.min(maxStabilityDays, stability * (1 + Math.max(0, growth)))
}
