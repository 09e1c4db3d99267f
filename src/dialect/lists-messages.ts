import type { TemplateNode } from "../template/ast.ts"
import type { Dialect } from "./dialect.ts"

const known = new WeakMap<Dialect, ReadonlySet<string>>()

/** True where a file of the dialect prints the list as messages of their own: `${messages(history)}`. Found once per dialect. */
export function listsMessages(dialect: Dialect, name: string): boolean {
  const before = known.get(dialect)
  if (before) return before.has(name)
  const names = new Set<string>()
  for (const { template } of dialect.files.values()) collect(template.nodes, names)
  known.set(dialect, names)
  return names.has(name)
}

function collect(nodes: readonly TemplateNode[], names: Set<string>): void {
  for (const node of nodes) {
    if (node.type === "messages") names.add(node.name)
    if (node.type !== "conditional") continue
    collect(node.then, names)
    collect(node.otherwise, names)
  }
}
