import { hasLineBreak, splitLines } from "../encode/line-breaks.ts"

/** Replaces each line break, with the white space around it, by one space. Blank lines are left out. */
export function onOneLine(text: string): string {
  if (!hasLineBreak(text)) return text
  return splitLines(text)
    .map((line) => line.text.trim())
    .filter((line) => line !== "")
    .join(" ")
}
