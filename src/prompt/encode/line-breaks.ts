/** A line and the break that ends it. */
export interface Line {
  readonly text: string
  /** `\n`, `\r`, `\r\n`, U+2028, U+2029, U+0085, `\v` or `\f`; `""` for the last line of a text. */
  readonly lineBreak: string
}

/** True for a UTF-16 unit that ends a line for JavaScript or for the eye. `\r\n` is two units but one break. */
export function isLineBreak(codeUnit: number): boolean {
  return (codeUnit >= 0x0a && codeUnit <= 0x0d) || codeUnit === 0x85 || codeUnit === 0x2028 || codeUnit === 0x2029
}

/** True for a text of more than one line. */
export function hasLineBreak(text: string): boolean {
  return /[\n\v\f\r\u{85}\u{2028}\u{2029}]/u.test(text)
}

/** Replaces each run of white space and line breaks of every kind by one space. None is left at the ends. */
export function onOneLine(text: string): string {
  return text.replace(/[\s\u0085]+/g, " ").trim()
}

/** The parts of a text between separators, trimmed, without those that are blank. */
export function partsBetween(text: string, separator: string | RegExp): readonly string[] {
  return text.split(separator).flatMap((part) => part.trim() || [])
}

/** Joins the lines of a text by single spaces, without the white space around them and without blank lines. */
export function joinLines(text: string): string {
  if (!hasLineBreak(text)) return text
  return splitLines(text)
    .map((line) => line.text.trim())
    .filter((line) => line !== "")
    .join(" ")
}

/** Splits a text into its lines with their breaks. Joined, they are the text. An empty text is one empty line. */
export function splitLines(text: string): readonly Line[] {
  const lines: Line[] = []
  visitLines(text, (start, end, next) => lines.push({ text: text.slice(start, end), lineBreak: text.slice(end, next) }))
  return lines
}

/** Applies `change` to each line of a text. The breaks stay as they are. */
export function mapLines(text: string, change: (line: string) => string): string {
  if (!hasLineBreak(text)) return change(text)
  let changed = ""
  let copied = 0
  visitLines(text, (start, end) => {
    const line = text.slice(start, end)
    const replacement = change(line)
    if (replacement === line) return
    changed += text.slice(copied, start) + replacement
    copied = end
  })
  return changed + text.slice(copied)
}

function visitLines(text: string, visit: (start: number, end: number, next: number) => void): void {
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (!isLineBreak(unit)) continue
    const end = at
    if (unit === 0x0d && text.charCodeAt(at + 1) === 0x0a) at++
    visit(start, end, at + 1)
    start = at + 1
  }
  visit(start, text.length, text.length)
}
