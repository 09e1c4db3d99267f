import { graphemeBoundaryBefore } from "../core/grapheme-boundary.ts"

const sentenceEnds = new Set([..."。！？!?.…\n\u2028\u2029"])
const ellipsis = "…"

/** The sentences of a text, each with its end, blanks around them taken off; joined by their own ends they are the text's words. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (!sentenceEnds.has(text[at] ?? "")) continue
    const isNumber = text[at] === "." && /\S/.test(text[at + 1] ?? " ")
    if (isNumber || sentenceEnds.has(text[at + 1] ?? "")) continue
    sentences.push(text.slice(start, at + 1))
    start = at + 1
  }
  sentences.push(text.slice(start))
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "")
}

/**
 * A text in at most `maxCharacters` UTF-16 units, by rule: its first sentences and its last one around an ellipsis, as the end of
 * an answer says what it comes to; of one long sentence the beginning. What fits stays as it is.
 */
export function shorten(text: string, maxCharacters: number): string {
  const whole = text.trim()
  if (whole.length <= maxCharacters) return whole
  const sentences = sentencesOf(whole)
  const last = sentences.at(-1) ?? ""
  const tail = sentences.length > 1 && last.length <= maxCharacters / 3 ? last : ""
  const room = maxCharacters - tail.length - ellipsis.length
  const head = headOf(sentences.slice(0, tail === "" ? undefined : -1), room)
  return `${head === "" ? cut(whole, room) : head}${ellipsis}${tail}`
}

function headOf(sentences: readonly string[], room: number): string {
  let head = ""
  for (const sentence of sentences) {
    const longer = head === "" ? sentence : `${head}${isAscii(sentence) ? " " : ""}${sentence}`
    if (longer.length > room) break
    head = longer
  }
  return head
}

function cut(text: string, length: number): string {
  return text.slice(0, graphemeBoundaryBefore(text, Math.max(0, length))).trimEnd()
}

/** Sentences of writing without spaces are joined without any. */
function isAscii(text: string): boolean {
  return (text.codePointAt(0) ?? 0) < 0x250
}
