import { graphemesOf } from "./graphemes.ts"
import { lazyPattern } from "./lazy-pattern.ts"

const plain = /^[ -~]*$/

/** How many columns of a terminal a text takes: ideographs and emoji two, marks and joiners none. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemesOf(text)) columns += clusterWidth(segment)
  return columns
}

/** A cluster is drawn as one character: as wide as its widest. */
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
