import type { TokenCounter } from "../../core/ports.ts"

/**
 * Estimates tokens from the kinds of characters and loads no vocabulary. About four ASCII characters, or two letters of another
 * alphabet, or one ideograph make a token. `exact` is false, and an assembly that is counted with it says so.
 */
export const roughCounter: TokenCounter = {
  exact: false,
  count: (text) => Math.ceil(estimate(text)),
  estimate,
}

function estimate(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at++) quarters += quartersOf(text.charCodeAt(at))
  return quarters / 4
}

function quartersOf(unit: number): number {
  if (unit < 0x80) return 1
  if (unit < 0x2e80) return 2
  return unit >= 0xd800 && unit <= 0xdfff ? 3 : 4
}
