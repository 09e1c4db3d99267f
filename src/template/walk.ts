import type { Source } from "../core/source.ts"
import type { SlotNode, TemplateNode, TemplateRole } from "./ast.ts"
import type { FrameWriter } from "./frame-writer.ts"

/** What a walk asks of whoever holds the values. */
export interface WalkHost {
  /** True when the name holds something, for `${name? …}`. */
  holds(name: string, source: Source): boolean
  /** Prints a slot's value, calling `beforeContent` first; false when there is nothing to print. */
  slot(node: SlotNode): boolean
  /** Prints a branch or a placeholder of `name`: whether it stands there depends on that value. */
  within(name: string, print: () => boolean): boolean
  role(role: TemplateRole, source: Source): void
  messages(name: string, source: Source): void
}

/** Prints a template: frames go to the writer, values through the host. No data is ever scanned for the language (R1). */
export function walk(nodes: readonly TemplateNode[], writer: FrameWriter, host: WalkHost): void {
  const branch = (name: string, inner: readonly TemplateNode[]) =>
    inner.length > 0 && host.within(name, () => walkScope(inner, writer, host))
  for (const node of nodes) {
    switch (node.type) {
      case "literal":
        writer.frame(node.text, node.source)
        break
      case "slot":
        if (!host.slot(node) && !branch(node.name, node.placeholder ?? []) && node.alone) writer.swallowLine()
        break
      case "conditional": {
        const taken = host.holds(node.name, node.source) ? node.then : node.otherwise
        if (!branch(node.name, taken) && node.alone) writer.swallowLine()
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
  const scope = writer.open()
  walk(nodes, writer, host)
  return writer.close(scope)
}
