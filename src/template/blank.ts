/** The spaces and tabs a line begins with. */
export function leadingBlank(line: string): string {
  let length = 0
  while (line[length] === " " || line[length] === "\t") length++
  return line.slice(0, length)
}

/** True for text of spaces and tabs alone, and for none. */
export function isBlank(text: string): boolean {
  return leadingBlank(text).length === text.length
}

/** True when only spaces and tabs stand between the last line break, or `before` where there is none, and the end of `text`. */
export function endsBlank(text: string, before: boolean): boolean {
  const newline = text.lastIndexOf("\n")
  return (newline >= 0 || before) && isBlank(text.slice(newline + 1))
}

/** True when only spaces and tabs stand between the beginning of `text` and its first line break, or `after` where there is none. */
export function startsBlank(text: string, after: boolean): boolean {
  const newline = text.indexOf("\n")
  return newline >= 0 ? isBlank(text.slice(0, newline)) : after && isBlank(text)
}

/** Where the spaces, tabs and line breaks that `text` has from `from` on end. */
export function blankStart(text: string, from = 0): number {
  let at = from
  while (at < text.length && isBlankAt(text, at)) at++
  return at
}

/** Where the spaces, tabs and line breaks that `text` has before `to` begin. By hand: `/\s+$/` is quadratic on white space in the middle. */
export function blankEnd(text: string, to = text.length): number {
  let at = to
  while (at > 0 && isBlankAt(text, at - 1)) at--
  return at
}

function isBlankAt(text: string, at: number): boolean {
  return text[at] === " " || text[at] === "\t" || text[at] === "\n"
}
