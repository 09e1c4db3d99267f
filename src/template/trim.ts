import type { TemplateNode } from "./ast.ts"
import { blankEnd, blankStart } from "./blank.ts"

/** Takes spaces, tabs and line breaks off the literal text at both ends; an ideographic space is text. */
export function trimNodes(nodes: readonly TemplateNode[]): TemplateNode[] {
  return trimEnd(trimStart(nodes))
}

function trimStart(nodes: readonly TemplateNode[]): TemplateNode[] {
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i]
    if (node?.type !== "literal") return nodes.slice(i)
    const start = blankStart(node.text)
    if (start === node.text.length) continue
    const line = node.source.line + node.text.slice(0, start).split("\n").length - 1
    return [{ ...node, text: node.text.slice(start), source: { ...node.source, line } }, ...nodes.slice(i + 1)]
  }
  return []
}

function trimEnd(nodes: readonly TemplateNode[]): TemplateNode[] {
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]
    if (node?.type !== "literal") return nodes.slice(0, i + 1)
    const text = node.text.slice(0, blankEnd(node.text))
    if (text !== "") return [...nodes.slice(0, i), { ...node, text }]
  }
  return []
}
