/** More UTF-16 units than any grapheme that people write. A longer one is cut between code points. */
const windowUnits = 256

/**
 * The last place at or before `offset` (UTF-16 units) at which a grapheme begins, or the text's end. Only the text near
 * `offset` is segmented, so the cost does not grow with the text (S17).
 */
export function graphemeBoundaryBefore(text: string, offset: number): number {
  if (offset <= 0) return 0
  if (offset >= text.length) return text.length
  const from = windowStart(text, offset)
  let found = from
  for (const boundary of boundaries(text, from, offset)) if (boundary <= offset) found = boundary
  return found > from || offset - from < windowUnits ? found : codePointStart(text, offset)
}

/** The first place at or after `offset` at which a grapheme begins, or the text's end (S17). */
export function graphemeBoundaryAfter(text: string, offset: number): number {
  if (offset <= 0) return 0
  if (offset >= text.length) return text.length
  const from = windowStart(text, offset)
  const last = Math.min(text.length, offset + windowUnits)
  for (const boundary of boundaries(text, from, offset)) if (boundary >= offset && boundary < last) return boundary
  return last === text.length ? last : codePointStart(text, offset)
}

/** The starts of graphemes from `from` to a little after `offset`, and the text's end if it is there. */
function* boundaries(text: string, from: number, offset: number): Generator<number> {
  const window = text.slice(from, offset + windowUnits)
  for (const { index } of graphemesOf(window)) yield from + index
  if (from + window.length === text.length) yield text.length
}

/** A place before `offset` that splits no surrogate pair and no flag. */
function windowStart(text: string, offset: number): number {
  const start = codePointStart(text, Math.max(0, offset - windowUnits))
  let indicators = 0
  while (isRegionalIndicator(text, start - 2 * (indicators + 1))) indicators++
  return indicators % 2 === 0 ? start : start - 2
}

function codePointStart(text: string, offset: number): number {
  const inPair = /[\udc00-\udfff]/.test(text.charAt(offset)) && /[\ud800-\udbff]/.test(text.charAt(offset - 1))
  return inPair ? offset - 1 : offset
}

function isRegionalIndicator(text: string, offset: number): boolean {
  if (offset < 0) return false
  const code = text.codePointAt(offset) ?? 0
  return code >= 0x1f1e6 && code <= 0x1f1ff
}

let segmenter: Intl.Segmenter | undefined

/** The graphemes of a text. The segmenter is made by the first call, because its data takes longer to load than this library. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })
  return segmenter.segment(text)
}

/** The text, or its first `most` UTF-16 units and `…` where it is longer. Half a surrogate pair becomes U+FFFD. */
export function clipped(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text
}

const highSurrogate = /[\ud800-\udbff]/

/** Counts the code points of a text. Half a surrogate pair counts as one. */
export function countCodePoints(text: string): number {
  // Most texts have no surrogate pair, and to find that out is far cheaper than to count.
  const first = text.search(highSurrogate)
  if (first < 0) return text.length
  let count = first
  for (let at = first; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const isSecond = unit >= 0xdc00 && unit <= 0xdfff && at > 0 && highSurrogate.test(text.charAt(at - 1))
    if (!isSecond) count++
  }
  return count
}

/** The UTF-16 offset after the first `count` code points, or the text's end. */
export function offsetAfter(text: string, count: number): number {
  let at = 0
  for (let seen = 0; seen < count && at < text.length; seen++) at += widthAt(text, at)
  return at
}

/** How many UTF-16 units the code point at an offset has. */
export function widthAt(text: string, offset: number): 1 | 2 {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
}
