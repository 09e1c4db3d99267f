import type { Trust, TrustedText } from "../core/value.ts"

/** What sanitising took out while a text was put together. */
export interface Removed {
  readonly removed: number
  readonly kinds: readonly string[]
}

const nothing: Removed = { removed: 0, kinds: [] }
const encodedTexts = new WeakMap<TrustedText, Removed>()

/**
 * A text whose untrusted parts were encoded one by one while it was put together, so that no encoder runs over it again.
 * Only code of this library can make one: the mark does not survive JSON and is not part of the value.
 */
export function encodedText(text: string, trust: Trust, { removed, kinds }: Removed = nothing): TrustedText {
  const value: TrustedText = { text, trust }
  encodedTexts.set(value, { removed, kinds })
  return value
}

/** What was taken out of a text made by {@link encodedText}; `undefined` for any other text. */
export function removedFrom(text: TrustedText): Removed | undefined {
  return encodedTexts.get(text)
}

/** True for a text made by {@link encodedText}. */
export function isEncodedText(text: TrustedText): boolean {
  return encodedTexts.has(text)
}
