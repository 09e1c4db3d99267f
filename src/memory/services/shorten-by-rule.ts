import { graphemeBoundaryBefore } from "../../core/graphemes.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"

const sentenceEnds = new Set([..."。！？!?.…\n\u2028\u2029"])
const ellipsis = "…"
const eastAsian = lazyPattern(String.raw`^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]`, "u")

/** The sentences of a text with their marks, trimmed. A dot within a number or name ends none. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (!sentenceEnds.has(text[at] ?? "")) continue
    const isInside = text[at] === "." && /\S/.test(text[at + 1] ?? " ")
    if (isInside || sentenceEnds.has(text[at + 1] ?? "")) continue
    sentences.push(text.slice(start, at + 1))
    start = at + 1
  }
  sentences.push(text.slice(start))
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "")
}

/**
 * Shortens a text by rule to at most `maxCharacters` UTF-16 units. It keeps the first sentences and the last one, around an ellipsis: the
 * end of an answer often has its conclusion. Of one long sentence it keeps the beginning. A text that fits stays as it is, trimmed.
 */
export function shorten(text: string, maxCharacters: number): string {
  const whole = text.trim()
  if (whole.length <= maxCharacters) return whole
  const sentences = sentencesOf(whole)
  const last = sentences.at(-1) ?? ""
  const tail = sentences.length > 1 && last.length <= maxCharacters / 3 ? last : ""
  const room = maxCharacters - tail.length - ellipsis.length
  const head = headOf(sentences.slice(0, tail === "" ? undefined : -1), room)
  const cut = () => whole.slice(0, graphemeBoundaryBefore(whole, Math.max(0, room))).trimEnd()
  return `${head === "" ? cut() : head}${ellipsis}${tail}`
}

/** The first sentences that fit, joined as one text. */
export function headOf(sentences: readonly string[], room = Infinity): string {
  let head = ""
  for (const sentence of sentences) {
    // Chinese and Japanese put no space between sentences.
    const space = head === "" || eastAsian().test(sentence) ? "" : " "
    const longer = head + space + sentence
    if (longer.length > room) break
    head = longer
  }
  return head
}
