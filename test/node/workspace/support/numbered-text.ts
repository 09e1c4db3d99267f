const blocks = 1_500

/** A text of some size that names its number in every line. */
export function numberedText(number: number): string {
  return Array.from({ length: blocks }, (_, at) => `${number} line ${at} of a text that must be whole\n`).join("")
}

/** The number of a text that is whole; `undefined` for one that is torn or mixed. */
export function numberOf(text: string): number | undefined {
  const number = Number.parseInt(text, 10)
  return text === numberedText(number) ? number : undefined
}
