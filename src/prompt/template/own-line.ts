import { type ConditionalNode, mapBranches, type SlotNode, type TemplateNode } from "./ast.ts"
import { blankStart } from "./frame-writer.ts"

/** True for each end of a template that is the beginning or the end of a line. */
interface Edges {
  readonly start: boolean
  readonly end: boolean
}

/**
 * Sets `alone` on each slot and conditional that is certain to have its line of the output to itself. Looks through the
 * branches around it, too. A directive begins or ends a message, so a line ends there.
 */
export function markAlone(nodes: readonly TemplateNode[], edges: Edges = { start: true, end: true }): TemplateNode[] {
  const ends = bounds(nodes.toReversed(), edges.end, startsBlank).reverse()
  const starts = bounds(nodes, edges.start, endsBlank)
  return nodes.map((node, i) => markNode(node, { start: starts[i] === true, end: ends[i] === true }))
}

function markNode(node: TemplateNode, edges: Edges): TemplateNode {
  if (node.type !== "conditional" && node.type !== "slot") return node
  return mapBranches({ ...node, alone: edges.start && edges.end }, (nodes) => markAlone(nodes, edges))
}

/**
 * True for each node whose side towards the list's end is the end of a line. A line break counts only after something that
 * is sure to be printed. Without it the break can become the end of the branch; there it is trimmed, and the text after
 * the branch moves up to this line. `edge` is true when a line begins or ends at the list's own end. `isBounded` is true for a
 * literal that leaves the line blank towards the next node; `before` says it of the line before the literal.
 */
function bounds(nodes: readonly TemplateNode[], edge: boolean, isBounded: (text: string, before: boolean) => boolean): boolean[] {
  let bounded = edge
  let isPrinted = edge
  return nodes.map((node) => {
    const before = bounded
    if (node.type === "literal") {
      isPrinted ||= blankStart(node.text) < node.text.length
      bounded = isBounded(node.text, bounded) && (isPrinted || bounded)
    } else if (node.type === "role" || node.type === "messages") {
      bounded = true
      isPrinted = true
    } else bounded &&= printsNothing(node)
    return before
  })
}

function printsNothing(node: ConditionalNode | SlotNode): boolean {
  return node.type === "conditional" && node.then.length === 0 && node.otherwise.length === 0
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
