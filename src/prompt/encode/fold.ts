import { lazyPattern } from "../../core/lazy-pattern.ts"

/** Any character but printable ASCII in either width and Han with its punctuation. Those fold by case, width and blanks alone. */
const uneven = lazyPattern(
  String.raw`[^ -~\t\u{2018}-\u{201d}\u{3001}\u{3002}\u{300a}-\u{3011}\u{3400}-\u{4dbf}\u{4e00}-\u{9fff}\u{ff01}-\u{ff5e}]`,
  "u",
)

/** Characters without a shape of their own: controls, format and tag characters, fillers, combining marks. */
const unseen = lazyPattern(
  String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\p{Noncharacter_Code_Point}[\p{Cc}--[\t\n\v\f\r\u{85}]]]`,
  "gv",
)

/** Full-width ASCII, such as the comma of Chinese text. */
const wide = /[\uff01-\uff5e]/g
const wideBy = 0xfee0

/** White space as the eye sees it. Unicode counts the Braille blank as a symbol, and `\s` leaves out the line break U+0085. */
const blanks = lazyPattern(String.raw`[\s\u{85}\u{2800}]+`, "gu")

/** Characters that look like a colon though Unicode does not decompose them. */
const colons = /[∶꞉ː˸]/g

const dashes = lazyPattern(String.raw`[\p{Pd}\u{2d7}\u{2043}\u{2212}\u{23af}\u{2500}\u{2501}]`, "gu")

/**
 * True for a text that folds character by character: each of its beginnings folds to a beginning of its fold, but for the
 * last character and white space.
 */
function isEven(text: string): boolean {
  return !uneven().test(text)
}

/**
 * Reduces a line to what a careless or hostile reader sees. Case, width, accents and kinds of dashes become the same,
 * invisible characters go, white space becomes single and trimmed. Two lines with equal folds can pass for each other.
 * Folding twice changes nothing (T28).
 */
export function fold(line: string): string {
  if (isEven(line)) return narrow(line).toLowerCase().replace(blanks(), " ").trim()
  return foldCase(withoutUnseen(line)).replace(dashes(), "-").replace(colons, ":").replace(blanks(), " ").trim().normalize("NFC")
}

function narrow(text: string): string {
  return text.replace(wide, (character) => String.fromCharCode(character.charCodeAt(0) - wideBy))
}

function foldCase(text: string): string {
  return withoutUnseen(bothCases(text))
}

/**
 * Folds case both ways, because some letters are equal only in upper case: ß and SS, ſ and s. The final sigma depends on its
 * neighbours.
 */
function bothCases(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ")
}

/** Sorting a longer run of marks takes quadratic time, and no word has one. */
const longRun = lazyPattern(String.raw`(\p{M}{30})\p{M}+`, "gu")

/** The text in its composed form (NFC). Of a run of marks the first 30 stay. */
export function composed(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.replace(longRun(), "$1").normalize("NFC") : text
}

/**
 * Reduces a text to its letters: case and normal form alone become the same. Width, accents and every other mark stay, because they make
 * another word: {@link fold} takes は for ば, й for и, and leaves no vowel of Thai and Hindi.
 */
export function foldLetters(text: string): string {
  return /[^\0-\x7f]/.test(text) ? composed(bothCases(composed(text).normalize("NFD"))) : text.toLowerCase()
}

/** The text without the accents of Latin and Greek letters. */
export function withoutAccents(text: string): string {
  return text.normalize("NFD").replace(accents(), "$1").normalize("NFC")
}

const accents = lazyPattern(String.raw`([\p{sc=Latin}\p{sc=Greek}])[\u0300-\u036f]+`, "gu")

/** Decomposes the text, evens out width and removes every character without a shape of its own. Line breaks and case stay. */
export function withoutUnseen(text: string): string {
  // Printable ASCII alone is as it is shown.
  if (/^[ -~]*$/.test(text)) return text
  // Marks go first: normalising sorts runs of them, in quadratic time.
  return text.replace(unseen(), "").normalize("NFKD").replace(unseen(), "")
}

/** A text as it is compared. */
export type Look = (text: string) => string

/** A line of these may look like another: not ASCII, Han and their punctuation alone, with letters that look alike, or in emphasis or brackets. */
export const mayDisguise = (line: string): boolean =>
  /[I1l|0@$!3457]|rn|m|^[\\\s]*[*_~`"'“‘「『【《<[(]/i.test(line) || !isEven(line)

/** The part of a line that is compared: folded, without leading backslashes and blanks. */
export function core(line: string): string {
  return fold(line).replace(/^[\\ ]+/, "")
}

/** A text as it is compared where blanks do not count. */
export function squash(text: string): string {
  return core(text).replaceAll(" ", "")
}

/** The characters that are an opening bracket, fold to one or look like one, and the same for a closing one. */
export const opening = String.raw`\p{Ps}<\u2039\u226e\ufe64\uff1c`
export const closing = String.raw`\p{Pe}>\u203a\u226f\ufe65\uff1e`

const brackets = lazyPattern(`([${opening}])|[${closing}]`, "gu")

/** A folded text with one kind of brackets. Chat has all kinds, so they are evened around a marker's words alone. */
export function evenBrackets(folded: string): string {
  return folded.replace(brackets(), (_, isOpen) => (isOpen ? "[" : "]"))
}
