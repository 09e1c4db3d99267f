import { graphemeBoundaryBefore } from "../../../../core/graphemes.ts"

/** A text of more characters is indexed in passages. Passages of an assistant's usual answers were measured: whole answers are found better. */
const passageCharacters = 8_192
/** A passage ends behind the last of the first of these that its second half has. */
const ends = ["\n", ". ", "。", " "] as const

/** A text in passages of at most 8,192 characters, which joined are the text. Each ends behind a line, a sentence or a word where it can. */
export function passagesOf(text: string): readonly string[] {
  const passages: string[] = []
  let at = 0
  while (text.length - at > passageCharacters) {
    const most = graphemeBoundaryBefore(text, at + passageCharacters)
    const middle = at + passageCharacters / 2
    const half = text.slice(middle, most)
    const found = ends.find((end) => half.includes(end))
    const end = found === undefined ? most : middle + half.lastIndexOf(found) + found.length
    passages.push(text.slice(at, end))
    at = end
  }
  return [...passages, text.slice(at)]
}
