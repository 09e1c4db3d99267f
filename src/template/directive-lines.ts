import { endsBlank, startsBlank } from "./blank.ts"
import type { Part } from "./part.ts"

/** A line that holds only `${role(…)}` or `${messages(…)}` gives no line break and no white space of its own. */
export function eatDirectiveLines(parts: readonly Part[]): Part[] {
  const eats = directivesAlone(parts)
  return parts.map((part, i) => {
    if (part.type !== "text") return part
    const newline = eats[i - 1] ? part.text.indexOf("\n") : -1
    const text = part.text.slice(newline + 1)
    return { ...part, text: eats[i + 1] ? withoutTail(text) : text, line: part.line + (newline < 0 ? 0 : 1) }
  })
}

/** For each part, whether it is a directive with nothing but white space and directives on its line. */
function directivesAlone(parts: readonly Part[]): boolean[] {
  const after = blankAfter(parts)
  let before = true
  return parts.map((part, i) => {
    if (isDirective(part)) return before && after[i] === true
    before = part.type === "text" && endsBlank(part.text, before)
    return false
  })
}

function blankAfter(parts: readonly Part[]): boolean[] {
  const blank: boolean[] = []
  let after = true
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i]
    blank[i] = after
    if (part && !isDirective(part)) after = part.type === "text" && startsBlank(part.text, after)
  }
  return blank
}

function isDirective(part: Part): boolean {
  return part.type === "expression" && (part.node.type === "role" || part.node.type === "messages")
}

/** The last line goes: it is the white space before the directive. */
function withoutTail(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1)
}
