import type { TokenCounter } from "../../../core/ports.ts"

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
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x2e80) quarters += unit < 0x80 ? 1 : 2
    else quarters += unit >= 0xd800 && unit <= 0xdfff ? 3 : 4
  }
  return quarters / 4
}
