import type { Source } from "../core/source.ts"
import type { TrustedText } from "../core/value.ts"

/** The words that stand where something was cut, and the prompt file they come from. */
export interface NoticeText {
  readonly text: string
  readonly source?: Source
}

/** A text of which the middle, the head or the tail was cut; `notice` stands where it was. */
export interface CutText {
  readonly head: string
  readonly notice: NoticeText
  readonly tail: string
  /** How many lines of the whole text stand before the tail. */
  readonly linesBeforeTail: number
  /** Code points of the whole text, so that a second cut tells of the whole one too. */
  readonly totalCharacters?: number
}

const cutTexts = new WeakMap<TrustedText, CutText>()

/**
 * A text with a notice in place of what was cut; printed as content, notice, content. Known by identity: a copy of it is
 * plain text, and the mark does not survive JSON.
 */
export function cutText(whole: TrustedText, cut: CutText): TrustedText {
  const text: TrustedText = { ...whole, text: cut.head + framedNotice(cut) + cut.tail }
  cutTexts.set(text, cut)
  return text
}

/** The parts of a text made by {@link cutText}. */
export function cutOf(text: TrustedText): CutText | undefined {
  return cutTexts.get(text)
}

/** The notice with the blank lines that part it from the values: it never shares a line with one. */
export function framedNotice({ head, notice, tail }: Pick<CutText, "head" | "notice" | "tail">): string {
  return `${head === "" ? "" : "\n\n"}${notice.text}${tail === "" ? "" : "\n\n"}`
}
