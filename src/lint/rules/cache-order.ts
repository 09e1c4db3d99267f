import type { TemplateNode } from "../../template/ast.ts"
import type { LintFile } from "../context.ts"
import { turnPrompts } from "../known-slots.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** What is new each turn. `rest`, `developer` and `base` hold what they are given, so nothing is said of them. */
const perTurn: ReadonlySet<string> = new Set(["question", "history", "memories", "prestart", "runs", "steps", "note", "fault"])

/** What the layers hold: the same over all turns. */
const stable: ReadonlySet<string> = new Set(["persona", "format", "skills", "tools", "final_system"])

/** A turn's own values in front of the layers of a system message (L1, S15). */
export const cacheOrder = lintRule(
  "cache-order",
  "A slot that changes every turn, in a system message before what stays the same: no provider can cache what follows it.",
  ({ files }) => files.filter(({ kind, name }) => kind === "prompt" && turnPrompts.includes(name)).flatMap(inPrompt),
)

function inPrompt({ file, template }: LintFile): LintFinding[] {
  return systemParts(template?.nodes ?? []).flatMap((part) => {
    const first = part.findIndex((node) => isNamed(node, perTurn))
    const node = part[first]
    if (node === undefined || !part.slice(first + 1).some(holdsStable) || node.source.file !== file) return []
    const name = "name" in node ? node.name : ""
    return [
      {
        severity: "warning",
        message: `expected \${${name}} behind what stays the same in a system message, found it before.`,
        file,
        line: node.source.line,
        column: node.source.column ?? 1,
        hint: "What stands behind it is new to the provider every turn and cannot be cached (S15): move it to the user message.",
      },
    ]
  })
}

/** The nodes of each system message; a prompt begins in one only where it says so. */
function systemParts(nodes: readonly TemplateNode[]): TemplateNode[][] {
  const parts: TemplateNode[][] = []
  let inSystem = false
  for (const node of nodes) {
    if (node.type === "role") {
      inSystem = node.role === "system"
      if (inSystem) parts.push([])
    } else if (node.type === "messages") inSystem = false
    else if (inSystem) parts.at(-1)?.push(node)
  }
  return parts
}

function holdsStable(node: TemplateNode): boolean {
  if (isNamed(node, stable)) return true
  return node.type === "conditional" && !perTurn.has(node.name) && [...node.then, ...node.otherwise].some(holdsStable)
}

function isNamed(node: TemplateNode, names: ReadonlySet<string>): boolean {
  return (node.type === "slot" || node.type === "conditional") && names.has(node.name)
}
