import type { ConditionalNode, SlotNode, TemplateNode } from "./ast.ts"
import { blankStart, endsBlank, startsBlank } from "./blank.ts"
import { mapBranches } from "./map-branches.ts"

/** Whether a template's two ends are the beginning and the end of a line. */
export interface Edges {
  readonly start: boolean
  readonly end: boolean
}

/**
 * Says of each slot and conditional whether it is certain to have its line of the output to itself, looking out through
 * the branches around it. A directive begins or ends a message, so it bounds a line.
 */
export function markAlone(nodes: readonly TemplateNode[], edges: Edges = { start: true, end: true }): TemplateNode[] {
  const ends = bounds(nodes.toReversed(), { edge: edges.end, isBounded: startsBlank }).reverse()
  const starts = bounds(nodes, { edge: edges.start, isBounded: endsBlank })
  return nodes.map((node, i) => markNode(node, { start: starts[i] === true, end: ends[i] === true }))
}

function markNode(node: TemplateNode, edges: Edges): TemplateNode {
  if (node.type !== "conditional" && node.type !== "slot") return node
  return mapBranches({ ...node, alone: edges.start && edges.end }, (nodes) => markAlone(nodes, edges))
}

/** A walk along a list of nodes from one of its ends, `edge`. */
interface Walk {
  /** Whether a line begins or ends at the list's own end. */
  readonly edge: boolean
  /** Whether a literal leaves the line blank towards the next node; `before` is what stood there before the literal. */
  readonly isBounded: (text: string, before: boolean) => boolean
}

/**
 * For each node, whether its side towards the list's end is a line's end. A line break counts only behind something that
 * is sure to be printed: else it can turn out to be the branch's end, where it is trimmed and what follows the branch
 * moves up.
 */
function bounds(nodes: readonly TemplateNode[], { edge, isBounded }: Walk): boolean[] {
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
