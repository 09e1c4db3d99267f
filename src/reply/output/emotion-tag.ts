/** The syntax of a tag: `pipe` is `[EMOTION] ||| `, `bracket` is `[EMOTION] `. */
export type TagSyntax = "pipe" | "bracket"

/** The tag of an emotion at the beginning of a text. */
export interface EmotionTag {
  readonly emotion: string
  /** The tag's length in UTF-16 units, blanks before it included. */
  readonly length: number
  /** Asterisks before the tag that belong to the text, because they close only later. */
  readonly emphasis: string
  /** True for a tag that means something else in Markdown or in prose: a link, a footnote, a date, a time of day. */
  readonly isDoubtful: boolean
}

/** The greatest length of a tag: 16 blanks, a name of 32 units between brackets, 8 blanks, three bars, asterisks. */
export const maxTagLength = 72

const blank = String.raw`[^\S\n-\r\u2028\u2029]`
const opening = "[[［【]"
const closing = String.raw`[\]］】]`
const bar = "[|｜]"
const letter = String.raw`[^\[\]［］【】|｜@\n-\r\u0085\u2028\u2029]`
const name = `${letter}{1,32}`
const lead = `^${blank}{0,16}`

/** Asterisks around the name or the tag, else asterisks that belong to the text. */
const whole: Readonly<Record<TagSyntax, RegExp>> = {
  bracket: new RegExp(`${lead}(?:(\\*{1,3})${opening}(${name})${closing}\\1|(\\*{0,3})${opening}(${name})${closing})`),
  pipe: new RegExp(
    `${lead}(?:(\\*{1,3})${opening}(${name})${closing}(?:\\1${blank}{0,8}${bar}{3}|${blank}{0,8}${bar}{3}\\1)` +
      `|(\\*{0,3})${opening}(${name})${closing}${blank}{0,8}${bar}{3})`,
  ),
}

const beginning: Readonly<Record<TagSyntax, RegExp>> = {
  bracket: new RegExp(`${lead}\\*{0,3}(?:${opening}(?:${letter}{0,32}(?:${closing}\\*{0,3})?)?)?$`),
  pipe: new RegExp(
    `${lead}\\*{0,3}(?:${opening}(?:${letter}{0,32}(?:${closing}\\*{0,3}${blank}{0,8}(?:${bar}{1,3}\\*{0,3})?)?)?)?$`,
  ),
}

const broken = new RegExp(`${lead}\\*{0,3}${opening}${letter}{0,32}(?:${closing}\\*{0,3}${blank}{0,8})?${bar}`)

/** Figures and the punctuation between them. */
const figures = /^[\d\s.,:/-]*$/

/** The tag that `text` begins with. A text that was cut short may have a longer one: ask {@link mayBecomeTag} first. */
export function readTag(text: string, syntax: TagSyntax): EmotionTag | undefined {
  const match = whole[syntax].exec(text)
  if (match === null) return undefined
  const [tag, , around, emphasis = "", bare] = match
  const emotion = (around ?? bare ?? "").trim()
  if (emotion === "") return undefined
  const isLink = tag.endsWith("]") && text.charAt(tag.length) === "("
  return { emotion, length: tag.length, emphasis, isDoubtful: syntax === "bracket" && (isLink || figures.test(emotion)) }
}

/** True for a text that may be the beginning of a tag, or of a longer tag than the one it holds. */
export function mayBecomeTag(text: string, syntax: TagSyntax): boolean {
  return beginning[syntax].test(text)
}

/** True for a text that begins with a failed attempt at a tag with bars. */
export function isBrokenTag(text: string): boolean {
  return broken.test(text)
}
