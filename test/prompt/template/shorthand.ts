import type { TemplateNode } from "../../../src/prompt/template/ast.ts"
import { type ParseOptions, parseTemplate } from "../../../src/prompt/template/parse.ts"

/** A template's nodes in a short form that tests can write down: text as strings, sources and `alone` left out. */
export function shape(text: string, options?: ParseOptions): unknown[] {
  return parseTemplate(text, options).nodes.map(shapeOf)
}

function shapeOf(node: TemplateNode): unknown {
  switch (node.type) {
    case "literal":
      return node.text
    case "slot":
      return {
        slot: node.name,
        ...(node.encoder ? { encoder: node.encoder } : {}),
        ...(node.placeholder ? { or: node.placeholder.map(shapeOf) } : {}),
      }
    case "conditional":
      return { if: node.name, yes: node.then.map(shapeOf), no: node.otherwise.map(shapeOf) }
    case "role":
      return { role: node.role }
    case "messages":
      return { messages: node.name }
  }
}

/** Every node of a template, branches and placeholders included, in order. */
export function allNodes(nodes: readonly TemplateNode[]): TemplateNode[] {
  return nodes.flatMap((node) => {
    if (node.type === "conditional") return [node, ...allNodes(node.then), ...allNodes(node.otherwise)]
    return node.type === "slot" ? [node, ...allNodes(node.placeholder ?? [])] : [node]
  })
}
