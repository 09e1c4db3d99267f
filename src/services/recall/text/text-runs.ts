/** A stretch of one kind of writing: a word of an alphabet, or characters that are written without spaces between words. */
export interface TextRun {
  readonly text: string
  readonly spaceless: boolean
}

/** Han, kana, Hangul and the scripts of South-East Asia that no space divides. */
const spacelessRun =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー々〆]"
const runPattern = new RegExp(`(${spacelessRun}+)|[[\\p{L}\\p{N}\\p{M}]--${spacelessRun}]+(?:'\\p{L}+)*`, "gv")

/** The runs of a normalised text, in order; punctuation and signs divide them and are left out. */
export function textRuns(text: string): TextRun[] {
  return Array.from(text.matchAll(runPattern), ([run, spaceless]) => ({ text: run, spaceless: spaceless !== undefined }))
}
