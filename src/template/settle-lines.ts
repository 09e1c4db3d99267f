import type { TemplateNode } from "./ast.ts"
import { mapBranches } from "./map-branches.ts"

/** Moves each literal's line from that of its first character to that of its first character that is no line break. */
export function settleLines(nodes: readonly TemplateNode[]): TemplateNode[] {
  return nodes.map((node) => {
    if (node.type === "literal") {
      const breaks = leadingBreaks(node.text)
      return breaks === 0 || breaks === node.text.length
        ? node
        : { ...node, source: { ...node.source, line: node.source.line + breaks } }
    }
    return node.type === "conditional" || node.type === "slot" ? mapBranches(node, settleLines) : node
  })
}

function leadingBreaks(text: string): number {
  let length = 0
  while (text[length] === "\n") length++
  return length
}
