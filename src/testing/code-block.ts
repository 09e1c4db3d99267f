/** Not fit for a text file: control characters other than line feed and tab, other line separators, half surrogate pairs. */
const unfit = /[\p{Cs}\u2028\u2029]|[^\P{Cc}\n\t]/u

/**
 * A text as a Markdown code block from which it can be read back exactly: as it stands in a fence longer than any run
 * of backticks inside, or, where a text file would not keep it, as a JSON list of its lines.
 */
export function codeBlock(text: string): string {
  const fits = !unfit.test(text)
  const body = fits ? text : jsonLines(text)
  const fence = "`".repeat(Math.max(3, longestRun(body, "`") + 1))
  return `${fence}${fits ? "text" : "json"}\n${body}\n${fence}`
}

function jsonLines(text: string): string {
  const lines = text.split("\n").map((line, at, all) => (at < all.length - 1 ? `${line}\n` : line))
  return `[\n${lines.map((line) => `  ${escaped(line)}`).join(",\n")}\n]`
}

/** JSON that is itself fit for a text file. */
function escaped(line: string): string {
  return JSON.stringify(line).replace(/[\p{Cc}\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

function longestRun(text: string, character: string): number {
  let longest = 0
  let run = 0
  for (const c of text) {
    run = c === character ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}
