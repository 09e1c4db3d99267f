/** How long an injection lives (S1): `global` outlives sessions, `session` ends with its session, `turn` ends with its turn. */
export type Scope = "global" | "session" | "turn"

/**
 * How often a span changes, from rarely to always (S15). `conversation` is history: it only grows.
 */
export type Stability = "global" | "session" | "conversation" | "turn"

/** Every stability, the most stable first. */
export const stabilities = ["global", "session", "conversation", "turn"] as const satisfies readonly Stability[]

/** The less stable of the two. */
export function leastStable(a: Stability, b: Stability): Stability {
  return stabilities.indexOf(a) >= stabilities.indexOf(b) ? a : b
}
