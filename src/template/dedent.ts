import { isBlank, leadingBlank } from "./blank.ts"
import type { Part } from "./part.ts"

/**
 * Takes off what all non-blank lines of a branch are indented by. The line on which the branch opens has no indentation
 * of its own, included files keep theirs, and blank lines lose their white space.
 */
export function dedentParts(parts: readonly Part[]): Part[] {
  const margin = commonMargin(parts)
  return parts.map((part, index) => {
    if (part.type !== "text") return part
    const isLast = index === parts.length - 1
    const lines = part.text.split("\n")
    const dedented = lines.map((line, i) => {
      if (i === 0) return line
      return isBlank(line) && (isLast || i < lines.length - 1) ? "" : line.slice(margin.length)
    })
    return { ...part, text: dedented.join("\n") }
  })
}

function commonMargin(parts: readonly Part[]): string {
  let common: string | undefined
  parts.forEach((part, index) => {
    if (part.type !== "text") return
    const isLast = index === parts.length - 1
    const lines = part.text.split("\n")
    for (let i = 1; i < lines.length; i++) {
      const line = lines[i] ?? ""
      if (isBlank(line) && (isLast || i < lines.length - 1)) continue
      common = sharedStart(common, leadingBlank(line))
    }
  })
  return common ?? ""
}

function sharedStart(a: string | undefined, b: string): string {
  if (a === undefined) return b
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return a.slice(0, length)
}
