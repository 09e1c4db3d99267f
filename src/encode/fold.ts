import { lazyPattern } from "../core/lazy-pattern.ts"

/** Anything but printable ASCII, in either width, and Han with its punctuation: those have nothing to even out but case, width and white space. */
const uneven = lazyPattern(
  String.raw`[^ -~\t\u{2018}-\u{201d}\u{3001}\u{3002}\u{300a}-\u{3011}\u{3400}-\u{4dbf}\u{4e00}-\u{9fff}\u{ff01}-\u{ff5e}]`,
  "u",
)

/** Characters that show nothing of their own: controls, format and tag characters, fillers, marks upon other characters. */
const unseen = lazyPattern(
  String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\p{Noncharacter_Code_Point}[\p{Cc}--[\t\n\v\f\r\u{85}]]]`,
  "gv",
)

/** Printable ASCII as wide as Han, such as the comma of Chinese text. */
const wide = /[\uff01-\uff5e]/g
const wideBy = 0xfee0

/** The Braille blank is a symbol to Unicode and a space to the eye; U+0085 is a line break that `\s` leaves out. */
const blanks = lazyPattern(String.raw`[\s\u{85}\u{2800}]+`, "gu")

const dashes = lazyPattern(String.raw`[\p{Pd}\u{2d7}\u{2043}\u{2212}\u{23af}\u{2500}\u{2501}]`, "gu")

/** True for a text of which any beginning folds to the beginning of its fold, whatever follows it, but for its last character and white space. */
export function isEven(text: string): boolean {
  return !uneven().test(text)
}

/**
 * A line as a careless or hostile reader sees it: case, width, accents and dashes evened out, invisible characters gone,
 * white space single and trimmed. Equal folds mean that two lines can pass for each other; folding twice changes nothing (T28).
 */
export function fold(line: string): string {
  if (isEven(line)) return narrow(line).toLowerCase().replace(blanks(), " ").trim()
  return foldCase(withoutUnseen(line)).replace(dashes(), "-").replace(blanks(), " ").trim().normalize("NFC")
}

function narrow(text: string): string {
  return text.replace(wide, (character) => String.fromCharCode(character.charCodeAt(0) - wideBy))
}

/** Both ways, because some letters meet only in upper case: ß and SS, ſ and s. The final sigma depends on its neighbours. */
function foldCase(text: string): string {
  const lower = text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ")
  return withoutUnseen(lower)
}

/** The text decomposed, width evened out, and everything gone that shows nothing of its own; line breaks and case stay. */
export function withoutUnseen(text: string): string {
  // Marks go first: normalising sorts runs of them, in quadratic time.
  return text.replace(unseen(), "").normalize("NFKD").replace(unseen(), "")
}
