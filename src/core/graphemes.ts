import { lazyPattern } from "./lazy-pattern.ts"

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

const plain = /^[ -~]*$/

/** The columns of a terminal that a text takes: ideographs and emoji take two, marks and joiners none. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemesOf(text)) columns += clusterWidth(segment)
  return columns
}

/** A grapheme is drawn as one character, as wide as its widest one. */
function clusterWidth(cluster: string): number {
  if (cluster.includes("\ufe0f")) return 2
  let columns = 0
  for (const character of cluster) columns = Math.max(columns, characterWidth(character))
  return columns
}

const zeroWidth = lazyPattern(String.raw`^[\p{Mn}\p{Me}\p{Cf}]$`, "u")

function characterWidth(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0
  if (wideRanges.some(([first, last]) => code >= first && code <= last)) return 2
  return zeroWidth().test(character) ? 0 : 1
}

/** Hangul, Han, Kana, full-width forms, regional indicators and pictographs. */
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x26a1, 0x26a1],
  [0x2705, 0x2705],
  [0x274c, 0x274c],
  [0x2753, 0x2757],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f1e6, 0x1f1ff],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f7e0, 0x1f7eb],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
]
