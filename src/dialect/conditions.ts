import type { TemplateNode } from "../template/ast.ts"
import type { Dialect } from "./dialect.ts"

const known = new WeakMap<Dialect, ReadonlySet<string>>()

/** The names that conditions of a dialect's files ask for; found once per dialect. */
export function conditionsOf(dialect: Dialect): ReadonlySet<string> {
  const before = known.get(dialect)
  if (before) return before
  const names = new Set<string>()
  for (const { template } of dialect.files.values()) collect(template.nodes, names)
  known.set(dialect, names)
  return names
}

function collect(nodes: readonly TemplateNode[], names: Set<string>): void {
  for (const node of nodes) {
    if (node.type === "slot") collect(node.placeholder ?? [], names)
    if (node.type !== "conditional") continue
    names.add(node.name)
    collect(node.then, names)
    collect(node.otherwise, names)
  }
}
