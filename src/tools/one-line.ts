import { hasLineBreak, splitLines } from "../encode/line-breaks.ts"

/** The text with a space for every line break and the white space around it. */
export function onOneLine(text: string): string {
  if (!hasLineBreak(text)) return text
  return splitLines(text)
    .map((line) => line.text.trim())
    .filter((line) => line !== "")
    .join(" ")
}
