import type { TemplateNode } from "../template/ast.ts"
import type { Dialect } from "./dialect.ts"

/** The names that a dialect's files ask for. */
export interface DialectNames {
  /** Of slots and conditions, in any file. */
  readonly all: ReadonlySet<string>
  /** Of conditions, in any file. */
  readonly conditions: ReadonlySet<string>
  /** Of lists that a file prints as messages of their own: `${messages(history)}`. */
  readonly messageLists: ReadonlySet<string>
  /** Of slots and conditions, by the name of the file. */
  readonly byFile: ReadonlyMap<string, ReadonlySet<string>>
}

const found = new WeakMap<Dialect, DialectNames>()

/** The names that a dialect's files ask for, also in branches and placeholders; found once for each dialect. */
export function dialectNames(dialect: Dialect): DialectNames {
  const before = found.get(dialect)
  if (before) return before
  const conditions = new Set<string>()
  const messageLists = new Set<string>()
  const byFile = new Map<string, ReadonlySet<string>>()
  for (const [name, { template }] of dialect.files) {
    const slots = new Set<string>()
    collect(template.nodes, { slots, conditions, messageLists })
    byFile.set(name, slots)
  }
  const names = { all: new Set([...byFile.values()].flatMap((slots) => [...slots])), conditions, messageLists, byFile }
  found.set(dialect, names)
  return names
}

interface Found {
  readonly slots: Set<string>
  readonly conditions: Set<string>
  readonly messageLists: Set<string>
}

function collect(nodes: readonly TemplateNode[], into: Found): void {
  for (const node of nodes) {
    if (node.type === "messages") into.messageLists.add(node.name)
    if (node.type === "slot") {
      into.slots.add(node.name)
      collect(node.placeholder ?? [], into)
    }
    if (node.type !== "conditional") continue
    into.slots.add(node.name)
    into.conditions.add(node.name)
    collect(node.then, into)
    collect(node.otherwise, into)
  }
}
