import { PromptStrataError } from "./errors.ts"

/** The longest stability: a hundred years. */
export const maxStabilityDays = 36_500

/** The stability of a new thing. */
export const firstStabilityDays = 1

const retrievabilityAtStability = 0.9

/**
 * How well something is remembered, from 1 down to 0: `0.9^(days / stability)`. `days` have passed since it last came up;
 * after `stability` days, the value is 0.9 (R17). Negative days count as 0.
 */
export function retrievability(since: { readonly stability: number; readonly days: number }): number {
  if (typeof since?.stability !== "number" || typeof since.days !== "number")
    throw new PromptStrataError("usage", "retrievability expected { stability, days }, both numbers.")
  const { stability, days } = since
  return retrievabilityAtStability ** (Math.max(0, days || 0) / boundedStability(stability))
}

/**
 * The stability of something that comes up again after so many days: `S · (1 + gain · (1 − R))` (R17). It is never lower than before. What
 * comes up again at once gains nothing; what was nearly forgotten gains most.
 */
export function strengthened(now: { readonly stability: number; readonly days: number; readonly gain: number }): number {
  const stability = boundedStability(now.stability)
  const growth = now.gain * (1 - retrievability({ stability, days: now.days }))
  return Math.min(maxStabilityDays, stability * (1 + Math.max(0, growth)))
}

/** A stability within its bounds. An invalid one counts as that of a new thing. */
export function boundedStability(stability: number): number {
  return stability > 0 ? Math.min(stability, maxStabilityDays) : firstStabilityDays
}
