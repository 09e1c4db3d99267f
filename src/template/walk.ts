import type { Source } from "../core/source.ts"
import type { SlotNode, TemplateNode, TemplateRole } from "./ast.ts"
import type { FrameWriter } from "./frame-writer.ts"

/** What a walk asks of whoever holds the values. */
export interface WalkHost {
  /** True when the name holds something, for `${name? …}`. */
  holds(name: string, source: Source): boolean
  /** Prints a slot's value, calling `beforeContent` first; false when there is nothing to print. */
  slot(node: SlotNode): boolean
  /** Prints a branch of a conditional on `name`: whether it stands there depends on that value. */
  branch(name: string, print: () => boolean): boolean
  /** Prints what stands in a slot's place while its value is empty. */
  placeholder(name: string, print: () => boolean): boolean
  role(role: TemplateRole, source: Source): void
  messages(name: string, source: Source): void
}

/** Prints a template: frames go to the writer, values through the host. No data is ever scanned for the language (R1). */
export function walk(nodes: readonly TemplateNode[], writer: FrameWriter, host: WalkHost): void {
  const inner = (branch: readonly TemplateNode[]) => () => walkScope(branch, writer, host)
  for (const node of nodes) {
    switch (node.type) {
      case "literal":
        writer.frame(node.text, node.source)
        break
      case "slot":
        if (!host.slot(node) && !host.placeholder(node.name, inner(node.placeholder ?? []))) writer.empty()
        break
      case "conditional": {
        const taken = host.holds(node.name, node.source) ? node.then : node.otherwise
        if (!host.branch(node.name, inner(taken))) writer.empty()
        break
      }
      case "role":
        host.role(node.role, node.source)
        break
      case "messages":
        host.messages(node.name, node.source)
    }
  }
}

/** Walks a branch, a placeholder or an entry with its ends trimmed; true when it printed something. */
export function walkScope(nodes: readonly TemplateNode[], writer: FrameWriter, host: WalkHost): boolean {
  if (nodes.length === 0) return false
  const scope = writer.open()
  walk(nodes, writer, host)
  return writer.close(scope)
}
