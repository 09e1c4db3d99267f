/** Writes each run of more than twenty equal letters as the letter and their number, so that a person can read what holds it. */
export function shortRuns(text: string): string {
  return text.replaceAll(/(\w)\1{20,}/g, (run) => `${run[0]}×${run.length}`)
}

/** The lines, or of more than twelve the first and the last two with the number of the others. */
export function fewLines(lines: readonly string[]): readonly string[] {
  return lines.length <= 12 ? lines : [...lines.slice(0, 2), `… ${lines.length - 4} more`, ...lines.slice(-2)]
}
