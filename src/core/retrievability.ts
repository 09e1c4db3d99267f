/** A stability of a hundred years: no recall makes it longer. */
export const maxStabilityDays = 36_500

/** What a new thing begins with. */
export const firstStabilityDays = 1

const retrievabilityAtStability = 0.9

/**
 * How well something is remembered, from 1 down to 0: `0.9^(days / stability)`, days since it last came up, stability the
 * days until 0.9 (R17). A clock that runs backwards counts as no time at all.
 */
export function retrievability(stability: number, days: number): number {
  return retrievabilityAtStability ** (elapsedDays(days) / boundedStability(stability))
}

/** A stability within its bounds; what is none counts as that of a new thing. */
export function boundedStability(stability: number): number {
  return stability > 0 ? Math.min(stability, maxStabilityDays) : firstStabilityDays
}

function elapsedDays(days: number): number {
  return Number.isNaN(days) ? 0 : Math.max(0, days)
}
