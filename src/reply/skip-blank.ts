import { isBlank } from "./loose-syntax.ts"

/** The place of the first character from `from` on that belongs neither to white space nor to a comment. */
export function skipBlank(text: string, from: number): number {
  let index = from
  for (let isComment = true; isComment; ) {
    while (index < text.length && isBlank(text.charAt(index))) index++
    const end = commentEnd(text, index)
    isComment = end !== undefined
    index = end ?? index
  }
  return index
}

/** True where a comment begins: `//`, `/*`, or `#` and a space. */
export function isCommentAt(text: string, at: number): boolean {
  return commentEnd(text, at) !== undefined
}

function commentEnd(text: string, at: number): number | undefined {
  const opening = text.slice(at, at + 2)
  const isLine = opening === "//" || (opening.startsWith("#") && opening.trimEnd() === "#")
  if (!isLine && opening !== "/*") return undefined
  const end = text.indexOf(isLine ? "\n" : "*/", at + 2)
  return end < 0 ? text.length : end + (isLine ? 1 : 2)
}
