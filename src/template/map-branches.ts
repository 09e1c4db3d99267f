import type { ConditionalNode, SlotNode, TemplateNode } from "./ast.ts"

/** A conditional of its two branches. */
export function withBranches(
  node: Omit<ConditionalNode, "then" | "otherwise">,
  branches: { readonly whenHeld: readonly TemplateNode[]; readonly otherwise: readonly TemplateNode[] },
): ConditionalNode {
  // biome-ignore lint/suspicious/noThenProperty: a list cannot be called, so no promise takes the node for one
  return { ...node, then: branches.whenHeld, otherwise: branches.otherwise }
}

/** The node with `change` applied to each list of nodes inside it: branches and placeholder. */
export function mapBranches(
  node: ConditionalNode | SlotNode,
  change: (nodes: readonly TemplateNode[]) => readonly TemplateNode[],
): ConditionalNode | SlotNode {
  if (node.type === "conditional") return withBranches(node, { whenHeld: change(node.then), otherwise: change(node.otherwise) })
  return node.placeholder ? { ...node, placeholder: change(node.placeholder) } : node
}
