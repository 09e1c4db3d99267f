import type { TemplateNode } from "./ast.ts"
import { blankEnd, blankStart } from "./blank.ts"

/** Literal text whose inside is laid out: what the white space at its ends becomes depends on its neighbours. */
export interface SettledFrame {
  /** The white space it begins with, as written; all of a blank text. */
  readonly before: string
  /** From its first to its last character that is printed: no blanks at lines' ends, at most one blank line in a row. */
  readonly body: string
  /** The body by lines, each but the first with its line break before it; none of a blank text. */
  readonly lines: readonly string[]
  /** The white space it ends with, as written. */
  readonly after: string
}

/** Lays out the inside of a literal text, so that empty slots in it leave no trace. */
export function settleFrame(text: string): SettledFrame {
  const start = blankStart(text)
  if (start === text.length) return { before: text, body: "", lines: [], after: "" }
  const end = blankEnd(text)
  const inside = text.slice(start, end)
  const lines = inside.includes("\n") ? evenLines(inside) : [inside]
  const body = lines.length === 1 ? inside : lines.join("")
  return { before: text.slice(0, start), body, lines, after: text.slice(end) }
}

/** The literals of a list of nodes, settled once; other nodes have none. */
export function framesOf(nodes: readonly TemplateNode[]): readonly (SettledFrame | undefined)[] {
  const known = settled.get(nodes)
  if (known) return known
  const frames = nodes.map((node) => (node.type === "literal" ? settleFrame(node.text) : undefined))
  settled.set(nodes, frames)
  return frames
}

const settled = new WeakMap<readonly TemplateNode[], readonly (SettledFrame | undefined)[]>()

/** At most one blank line; blanks at a line's end go, the indentation of the next line stays. */
export function collapseBlank(blank: string): string {
  const first = blank.indexOf("\n")
  if (first < 0) return blank
  const last = blank.lastIndexOf("\n")
  if (first === 0 && last <= 1) return blank
  return (first === last ? "\n" : "\n\n") + blank.slice(last + 1)
}

/** The lines of a text that begins and ends with something printed, each with the white space that parts it from the one before. */
function evenLines(text: string): string[] {
  const lines: string[] = []
  let blank = ""
  for (let from = 0; ; ) {
    const newline = text.indexOf("\n", from)
    const end = newline < 0 ? text.length : blankEnd(text, newline)
    // A flat text: the halves of a concatenation would be copied anew wherever it is printed.
    lines.push([blank, text.slice(from, end)].join(""))
    if (newline < 0) return lines
    from = blankStart(text, newline)
    blank = collapseBlank(text.slice(end, from))
  }
}
