/** The spaces and tabs a line begins with. */
export function leadingBlank(line: string): string {
  let length = 0
  while (line[length] === " " || line[length] === "\t") length++
  return line.slice(0, length)
}

/** True for text of spaces and tabs only; an empty text is blank. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text[at] !== " " && text[at] !== "\t") return false
  return true
}

/** True when the last line of `text` is blank. Without a line break in `text`, `before` must be true, too. */
export function endsBlank(text: string, before: boolean): boolean {
  const newline = text.lastIndexOf("\n")
  return (newline >= 0 || before) && isBlank(text.slice(newline + 1))
}

/** True when the first line of `text` is blank. Without a line break in `text`, `after` must be true, too. */
export function startsBlank(text: string, after: boolean): boolean {
  const newline = text.indexOf("\n")
  return newline >= 0 ? isBlank(text.slice(0, newline)) : after && isBlank(text)
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
