import type { TemplateNode } from "../template/ast.ts"
import type { Dialect } from "./dialect.ts"

const known = new WeakMap<readonly TemplateNode[], ReadonlySet<string>>()
const knownOf = new WeakMap<Dialect, ReadonlySet<string>>()

/** The names of a template's slots and conditions, also in branches and placeholders; found once per template. */
export function namesIn(nodes: readonly TemplateNode[]): ReadonlySet<string> {
  const before = known.get(nodes)
  if (before) return before
  const names = new Set<string>()
  collect(nodes, names)
  known.set(nodes, names)
  return names
}

/** The names of all slots and conditions of a dialect's files; found once per dialect. */
export function namesInDialect(dialect: Dialect): ReadonlySet<string> {
  const before = knownOf.get(dialect)
  if (before) return before
  const names = new Set([...dialect.files.values()].flatMap(({ template }) => [...namesIn(template.nodes)]))
  knownOf.set(dialect, names)
  return names
}

function collect(nodes: readonly TemplateNode[], names: Set<string>): void {
  for (const node of nodes) {
    if (node.type === "slot") {
      names.add(node.name)
      collect(node.placeholder ?? [], names)
    }
    if (node.type !== "conditional") continue
    names.add(node.name)
    collect(node.then, names)
    collect(node.otherwise, names)
  }
}
