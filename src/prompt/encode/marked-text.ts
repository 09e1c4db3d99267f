import type { Source } from "../../core/source.ts"
import type { TextPart, Trust, TrustedText } from "../../core/value.ts"

/** The characters that sanitising removed while a text was put together. */
interface Removed {
  readonly removed: number
  readonly kinds: readonly string[]
}

const nothing: Removed = { removed: 0, kinds: [] }
const encodedTexts = new WeakMap<TrustedText, Removed>()

/**
 * Marks a text whose untrusted parts were encoded one by one while it was put together, so that it is not encoded again.
 * Only code of this library can make one: the mark belongs to this object, is not part of the value and is lost in JSON.
 */
export function encodedText(
  text: string,
  trust: Trust,
  { removed, kinds, parts }: Removed & { readonly parts?: readonly TextPart[] | undefined } = nothing,
): TrustedText {
  const value: TrustedText = parts ? { text, trust, parts } : { text, trust }
  encodedTexts.set(value, removed === 0 ? nothing : { removed, kinds })
  return value
}

/** The characters removed from a text made by {@link encodedText}; `undefined` for any other text. */
export function removedFrom(text: TrustedText): Removed | undefined {
  return encodedTexts.get(text)
}

/** True for a text made by {@link encodedText}. */
export function isEncodedText(text: TrustedText): boolean {
  return encodedTexts.has(text)
}

/** The words that stand in place of what was cut, and the prompt file they come from. */
export interface NoticeText {
  readonly text: string
  readonly source?: Source
}

/** A text of which the middle, the head or the tail was cut. `notice` stands in its place. */
export interface CutText {
  readonly head: string
  readonly notice: NoticeText
  readonly tail: string
  /** How many lines of the whole text stand before the tail. */
  readonly linesBeforeTail: number
  /** Code points of the whole text, so that a second cut counts from the whole one too. */
  readonly totalCharacters?: number
}

const cutTexts = new WeakMap<TrustedText, CutText>()

/**
 * Marks a text with a notice in place of what was cut. It is printed as content, notice, content. The mark belongs to this
 * object: a copy is plain text, and so is what comes back from JSON.
 */
export function cutText(whole: TrustedText, cut: CutText): TrustedText {
  const text: TrustedText = { ...whole, text: cut.head + framedNotice(cut) + cut.tail }
  cutTexts.set(text, cut)
  return text
}

/** By text that was cut before a prompt is made from it: the whole text and the reason, for decisions. */
export const cutBeforehand = new WeakMap<TrustedText, { readonly text: string; readonly reason: string }>()

/** The parts of a text made by {@link cutText}. */
export function cutOf(text: TrustedText): CutText | undefined {
  return cutTexts.get(text)
}

/** The notice with blank lines around it, so that it never shares a line with the text. */
export function framedNotice({ head, notice, tail }: Pick<CutText, "head" | "notice" | "tail">): string {
  return `${head === "" ? "" : "\n\n"}${notice.text}${tail === "" ? "" : "\n\n"}`
}
