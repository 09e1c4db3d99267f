import { graphemeBoundaryBefore } from "../../core/graphemes.ts"

/** Characters from here on are mostly twice as wide: those of Chinese, Japanese and Korean. */
const wide = 0x1100

/** The length of a text, in which a character of Chinese, Japanese or Korean counts two: texts of one width say about as much. */
export function textWidth(text: string): number {
  let width = text.length
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= wide) width++
  return width
}

/** The beginning of a text that is wider, with an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  let left = width
  for (let at = 0; at < text.length; at++) {
    left -= text.charCodeAt(at) < wide ? 1 : 2
    if (left < 0) return `${text.slice(0, graphemeBoundaryBefore(text, at)).trimEnd()}…`
  }
  return text
}

/** Cuts the widest texts, all to one width, until all together are not wider than `most`. */
export function fitTexts(texts: readonly string[], most: number): readonly string[] {
  let [left, width] = [most, Infinity]
  const widths = texts.map(textWidth).sort((a, b) => a - b)
  for (const [at, each] of widths.entries()) {
    const share = left / (widths.length - at)
    if (each > share) {
      width = Math.floor(share)
      break
    }
    left -= each
  }
  return texts.map((text) => cutToWidth(text, width))
}
