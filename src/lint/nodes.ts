import type { ConditionalNode, SlotNode, TemplateNode } from "../template/ast.ts"

/** A node with a name: a slot, a condition or a list of messages. */
export type NamedNode = SlotNode | ConditionalNode | Extract<TemplateNode, { readonly type: "messages" }>

/** Every node of a template, branches and placeholders included, in the order of the text. */
export function* eachNode(nodes: readonly TemplateNode[]): Generator<TemplateNode> {
  for (const node of nodes) {
    yield node
    if (node.type === "slot") yield* eachNode(node.placeholder ?? [])
    if (node.type !== "conditional") continue
    yield* eachNode(node.then)
    yield* eachNode(node.otherwise)
  }
}

/** The nodes that have a name. */
export function namedNodes(nodes: readonly TemplateNode[]): NamedNode[] {
  return [...eachNode(nodes)].filter(isNamed)
}

/** True where a template makes messages of its own: then it is a prompt and prints no entries. */
export function makesMessages(nodes: readonly TemplateNode[]): boolean {
  return [...eachNode(nodes)].some(({ type }) => type === "role" || type === "messages")
}

function isNamed(node: TemplateNode): node is NamedNode {
  return node.type === "slot" || node.type === "conditional" || node.type === "messages"
}
