import type { Source } from "../../core/source.ts"
import type { SlotEntry, TextPart, Trust, TrustedText } from "../../core/value.ts"

/** The characters that sanitising removed while a text was put together. */
interface RemovedCharacters {
  readonly removed: number
  readonly kinds: readonly string[]
}

const nothing: RemovedCharacters = { removed: 0, kinds: [] }

/** Facts about a text, or about an entry that stands for dropped ones. */
interface Mark {
  /** The characters that were removed from a text made by {@link encodedText}. */
  readonly encoded?: RemovedCharacters
  readonly cut?: CutText
  readonly beforehand?: CutBeforehand
  readonly notice?: NoticeText
}

/**
 * Marks stand beside the objects, because they are no values: data from outside cannot have one, and none survives JSON or a copy. So
 * nobody but this library can say that a text needs no encoder.
 */
const marks = new WeakMap<TrustedText | SlotEntry, Mark>()

const encodedWhole: Mark = { encoded: nothing }

/**
 * Marks a text whose untrusted parts were encoded one by one while it was put together, so that it is not encoded again.
 * Only code of this library can make one: the mark belongs to this object, is not part of the value and is lost in JSON.
 */
export function encodedText(
  text: string,
  trust: Trust,
  { removed, kinds, parts }: RemovedCharacters & { readonly parts?: readonly TextPart[] | undefined } = nothing,
): TrustedText {
  const value: TrustedText = parts ? { text, trust, parts } : { text, trust }
  marks.set(value, removed === 0 ? encodedWhole : { encoded: { removed, kinds } })
  return value
}

/** Everything that is marked on an object; `undefined` for a value as anybody can make one. */
export function markOf(value: object): Mark | undefined {
  return marks.get(value as SlotEntry)
}

/** True for a text made by {@link encodedText}. */
export function isEncodedText(text: TrustedText): boolean {
  return markOf(text)?.encoded !== undefined
}

/** The words that stand in place of what was cut, and the prompt file they come from. */
export interface NoticeText {
  readonly text: string
  readonly source?: Source | undefined
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
  /** The code fence that is open at the end of the head, and the one in which the tail begins. The printer decides if they matter, because an encoder may take away their meaning. */
  readonly openFences?: { readonly before: OpenFence | undefined; readonly after: OpenFence | undefined }
}

/** A Markdown code fence that is open at some place of a text. */
export interface OpenFence {
  /** The line that opens it, with its info. */
  readonly opening: string
  /** The line that closes it. */
  readonly closing: string
}

/**
 * Marks a text with a notice in place of what was cut. It is printed as content, notice, content. The mark belongs to this
 * object: a copy is plain text, and so is what comes back from JSON.
 */
export function cutText(whole: TrustedText, cut: CutText): TrustedText {
  const text: TrustedText = { ...whole, text: cut.head + framedNotice(cut) + cut.tail }
  marks.set(text, { cut })
  return text
}

/** The whole of a text that was cut before a prompt is made from it, and the reason. */
interface CutBeforehand {
  readonly text: string
  readonly reason: string
}

/** Marks a text that was cut before a prompt is made from it, so that decisions tell of the cut. */
export function markCutBeforehand(text: TrustedText, beforehand: CutBeforehand): void {
  marks.set(text, { ...marks.get(text), beforehand })
}

/** The cut that {@link markCutBeforehand} told of. */
export function cutBeforehandOf(text: TrustedText): CutBeforehand | undefined {
  return markOf(text)?.beforehand
}

/** Makes the entry that is printed in place of dropped entries. */
export function noticeEntry(notice: NoticeText): SlotEntry {
  const entry: SlotEntry = { notice: notice.text }
  marks.set(entry, { notice })
  return entry
}

/** The notice of an entry made by {@link noticeEntry}; `undefined` for any other. */
export function noticeOf(entry: SlotEntry | undefined): NoticeText | undefined {
  // To read a value is cheaper than to look every entry up.
  return typeof entry?.notice === "string" ? markOf(entry)?.notice : undefined
}

/** The parts of a text made by {@link cutText}. */
export function cutOf(text: TrustedText): CutText | undefined {
  return markOf(text)?.cut
}

/** The notice with blank lines around it, so that it never shares a line with the text. */
export function framedNotice({ head, notice, tail }: Pick<CutText, "head" | "notice" | "tail">): string {
  return `${head === "" ? "" : "\n\n"}${notice.text}${tail === "" ? "" : "\n\n"}`
}

/** A notice between two parts of a text. It closes a fence that is open before it and opens again a fence that goes on after it. */
export function closedNotice(
  notice: string,
  { before, after }: { readonly before: OpenFence | undefined; readonly after: OpenFence | undefined },
): string {
  return `${before ? `${before.closing}\n\n` : ""}${notice}${after ? `\n\n${after.opening}` : ""}`
}
