const blocks = 1_500

/** A long text with its number in every line. */
export function numberedText(number: number): string {
  return Array.from({ length: blocks }, (_, at) => `${number} line ${at} of a text that must be whole\n`).join("")
}

/** The number of a complete text; `undefined` for a part of a text or a mixture of texts. */
export function numberOf(text: string): number | undefined {
  const number = Number.parseInt(text, 10)
  return text === numberedText(number) ? number : undefined
}
