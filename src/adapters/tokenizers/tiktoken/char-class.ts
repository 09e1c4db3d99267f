import { unicodeClassRuns } from "./unicode-classes.ts"

/** The character classes of the encodings' patterns. Each is one bit, so a set of classes is a mask. */
export const charClass = { other: 1, space: 2, newline: 4, number: 8, mark: 16, upper: 32, lower: 64, caseless: 128 } as const

/** The classes that `\p{L}` matches. */
export const letterClasses = charClass.upper | charClass.lower | charClass.caseless

/** The classes that `\s` matches. */
export const spaceClasses = charClass.space | charClass.newline

/** The letters of the classes in the runs, in the order of their bits. */
const letters = "OSRNMULC"

/** The class of each code point. A high surrogate has 0: look up its whole code point. */
const classes = new Uint8Array(0x110000)

/** Fills the table of classes, about a megabyte. To be called before any text is split; later calls do nothing. */
export function loadClasses(): void {
  if (classes[0] !== 0) return
  let at = 0
  for (const [, letter = "", length = ""] of unicodeClassRuns.matchAll(/([A-Z])([0-9a-z]*)/g)) {
    const end = at + (length === "" ? 1 : Number.parseInt(length, 36))
    classes.fill(1 << letters.indexOf(letter), at, end)
    at = end
  }
  classes.fill(0, 0xd800, 0xdc00)
}

/** The class of the character at an offset of a well-formed text; 0 at its end. */
export function classAt(text: string, at: number): number {
  if (at >= text.length) return 0
  return classes[text.charCodeAt(at)] || (classes[text.codePointAt(at) ?? 0] ?? 0)
}

/** The end of the run of characters from `at` whose classes are in `mask`; at most `most` characters. */
export function runEnd(text: string, at: number, mask: number, most = Number.POSITIVE_INFINITY): number {
  const length = text.length
  let end = at
  for (let left = most; left > 0 && end < length; left--) {
    const found = classes[text.charCodeAt(end)] ?? 0
    if ((found & mask) !== 0) end++
    else if (found !== 0 || ((classes[text.codePointAt(end) ?? 0] ?? 0) & mask) === 0) break
    else end += 2
  }
  return end
}

/** The number of UTF-16 units of the character at an offset. */
export function unitsAt(text: string, at: number): number {
  return classes[text.charCodeAt(at)] === 0 ? 2 : 1
}
