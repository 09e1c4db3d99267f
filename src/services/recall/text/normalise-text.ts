/** What is read of one text; the rest of a longer one is not indexed. */
export const maxIndexedCharacters = 16_384

const combiningMarks = /[\u0300-\u036f]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what needs no folding
const onlyAscii = /^[\u0000-\u007f]*$/

/** Lower case, with full-width and accented letters as their plain ones, so that two spellings meet. */
export function normaliseText(text: string): string {
  const lower = text.toLowerCase()
  if (onlyAscii.test(lower)) return lower
  return lower.normalize("NFKD").replace(combiningMarks, "").normalize("NFKC").replaceAll("’", "'").toLowerCase()
}

/** The first and the last half of what may be read: a question stands at either end of what is pasted with it. */
export function boundText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const half = Math.floor(maxCharacters / 2)
  return `${text.slice(0, half)}\n${text.slice(-half)}`
}
