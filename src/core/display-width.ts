import { countUpTo } from "./binary-search.ts"
import { graphemesOf } from "./graphemes.ts"
import { lazyPattern } from "./lazy-pattern.ts"

/** Plain words, and signs of one column. */
const plain = /^[ -~·–—‘’“”…→]*$/
/** With words of Chinese, kana and wide signs, each a grapheme of two columns. They need no segmenter, which is slow to make. */
const plainAndWide = /^[ -~·–—‘’“”…→\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uff01-\uff60]*$/

/**
 * The columns of a terminal that a text takes, as the package `string-width` counts them, which is not imported here: its segmenter
 * is made as it loads and takes longer than all of this library. A test compares the two.
 */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length
  if (plainAndWide.test(text)) return text.length + text.replace(/[ -~·–—‘’“”…→]/g, "").length
  const shown = text.includes("\u001b") || text.includes("\u009b") ? text.replace(escapes(), "") : text
  let columns = 0
  // Half a surrogate pair is written out as U+FFFD, and vowels of Kirat Rai in a row are one glyph.
  for (const { segment } of graphemesOf(shown.toWellFormed().replace(vowelRuns(), ""))) columns += clusterWidth(segment)
  return columns
}

/** Escape sequences of terminals, as the package `ansi-regex` finds them. */
const escapes = lazyPattern(
  [
    String.raw`\u001b\](?:P[\dA-Fa-f]{7}|R)(?:\u0007|\u001b\\|\u009c)?`,
    String.raw`(?:\u001b\]|\u009d)[^\u0007\u0018\u001a\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)`,
    String.raw`(?:\u001b[PX^_k]|[\u0090\u0098\u009e\u009f])[^\u0018\u001a\u001b\u0080-\u009f]*(?:\u001b\\|\u009c)`,
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b(?:[ -/]+[0-~]|[\dA-PR-TZcf-oq-uy=><~|}])`,
  ].join("|"),
  "g",
)
const vowelRuns = lazyPattern(String.raw`(?<=[\u{16d63}-\u{16d6a}])[\u{16d63}-\u{16d6a}]+`, "gv")
const signCharacters = String.raw`\u0600-\u0605\u06dd\u0890\u0891\u08e2\u{110bd}\u{110cd}`
/** Signs above a number, one column each, unless a wide character follows and takes them in. */
const signs = lazyPattern(`^[${signCharacters}]+`, "v")
/** A character that is drawn. Controls, joiners and marks without a place of their own are not; signs above numbers are. */
const visible = lazyPattern(
  String.raw`[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Enclosing_Mark}\p{Nonspacing_Mark}[\p{Format}--[${signCharacters}]]]`,
  "v",
)
const textStyle = lazyPattern(String.raw`^[\p{Emoji_Presentation}--[\u{10000}-\u{10ffff}]]\ufe0e`, "v")
const emoji = lazyPattern(String.raw`^(?:\p{RGI_Emoji}|\p{Regional_Indicator}{1,2}|[\d#*]\ufe0f)`, "v")
const joined = lazyPattern(String.raw`\u200d\p{Extended_Pictographic}`, "v")
/** A skin tone that follows nothing it can colour is drawn by itself. */
const tones = lazyPattern(String.raw`(?<![\p{Emoji_Modifier_Base}\u200d])\p{Emoji_Modifier}`, "gv")
const hangul = lazyPattern(String.raw`^[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7c6\ud7cb-\ud7fb]`, "v")

function clusterWidth(cluster: string): number {
  const before = signs().exec(cluster)?.[0] ?? ""
  if (before !== "") {
    const rest = cluster.slice(before.length)
    const width = clusterWidth(rest)
    return width >= 2 && isWideGlyph(rest) ? width : [...before].length + width
  }
  const start = cluster.search(visible())
  if (start < 0) return 0
  const shown = cluster.slice(start)
  if (cluster.length === 1) return characterWidth(cluster)
  // A syllable of several letters is one block.
  if (hangul().test(cluster)) return characterWidth(cluster) + tonesFrom(cluster, 1)
  if (textStyle().test(shown)) return 1
  const found = emoji().exec(shown) ?? joined().exec(shown)
  if (found) return 2 + tonesFrom(shown, found.index + found[0].length)
  let columns = 0
  for (const character of shown) {
    if (character === "\u200d") break
    if (visible().test(character)) columns += characterWidth(character)
  }
  return columns
}

function isWideGlyph(cluster: string): boolean {
  const shown = cluster.slice(cluster.search(visible()))
  return characterWidth(shown) === 2 || emoji().test(shown) || joined().test(shown)
}

/** The columns of skin tones by themselves, from a place on. */
function tonesFrom(text: string, from: number): number {
  return 2 * [...text.matchAll(tones())].filter(({ index }) => index >= from).length
}

/**
 * The ranges of characters that take two columns, from Unicode's EastAsianWidth (W and F): how far each begins after the end of the
 * one before, and how many characters follow its first, in base 36.
 */
const wide =
  "3cw 2n 3i2 1 d 1 5a 3 3 0 2 0 eh 1 l 1 q 7 g b 17 0 a 5 3 0 d 0 8 1 h 1 5 1 8 0 5 0 l 0 7 1 1 0 4 0 2 0 7 0 4 1 s 0 z 0 1 0 4 2 1 0 1p 2 o 0 e 0 nv 1 1f 0 4 0 mi p 1 2g c 5x q 26 2 2d 2 2u 5 16 1 2l 1 2d 9 1b 1 13 8 mkc 3 1i wp s hv 8mb 6l8 e7 ls 9 m y 1 i 1 3 45 2n 3j 6 m49 4 b 6 9 5p6 10 x 2n 36 d pd e 1e 5y5 3 1 6 1 1 1 88 9 0 t 2 2 0 e 4 7 az 6bo 2e 9 m 5n1 0 5m 0 5a 0 2 9 j 0 29 2 d 17 4 8 7 1 e 5 4a w c 8 1 1x 1 l c 16 4 4 c g 3 0 3 1y 1 0 1 56 2 1q d 3 1 n i 0 q 1 d 0 2e 2c 1c 1x 6 0 3 2 2 4 2 3 b 1 7 8 65 0 5 b 4 0 7v 1a 1 9 1 54 34 c 3 1y 1 0 3 h 1 c 3 b zp 1ekd 2 1ekd"

let wideEnds: readonly number[] | undefined

/** The width of the first character. Before an even bound, no range is open. */
function characterWidth(text: string): 1 | 2 {
  const code = text.codePointAt(0) ?? 0
  let at = 0
  wideEnds ??= wide.split(" ").map((step, index) => (at += Number.parseInt(step, 36) + (index % 2)))
  return countUpTo(wideEnds, code) % 2 === 1 ? 2 : 1
}
