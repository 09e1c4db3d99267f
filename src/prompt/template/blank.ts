/** The spaces and tabs a line begins with. */
export function leadingBlank(line: string): string {
  let length = 0
  while (line[length] === " " || line[length] === "\t") length++
  return line.slice(0, length)
}

/** The end of the spaces, tabs and line breaks at `from`. */
export function blankStart(text: string, from = 0): number {
  let at = from
  while (text[at] === " " || text[at] === "\t" || text[at] === "\n") at++
  return at
}

/** The index where the white space before `to` begins. A loop, because `/\s+$/` is quadratic on white space in the middle. */
export function blankEnd(text: string, to = text.length): number {
  let at = to
  while (text[at - 1] === " " || text[at - 1] === "\t" || text[at - 1] === "\n") at--
  return at
}
