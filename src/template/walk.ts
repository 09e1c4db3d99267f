import type { Source } from "../core/source.ts"
import type { SlotNode, TemplateNode, TemplateRole } from "./ast.ts"
import { type FrameWriter, framesOf } from "./frame-writer.ts"

/** Answers what a walk through a template needs to know about the values. */
export interface WalkHost {
  /** True when the name has a value, for `${name? …}`. */
  holds(name: string, source: Source): boolean
  /** Prints the value of a slot, after a call of `beforeContent`; false when there is nothing to print. */
  slot(node: SlotNode): boolean
  /** Prints the branch of a conditional on `name`, or the placeholder of an empty slot, in place of {@link walkScope}. */
  scope?(name: string, nodes: readonly TemplateNode[], isPlaceholder: boolean): boolean
  role(role: TemplateRole, source: Source): void
  messages(name: string, source: Source): void
}

/** Prints a template: literal text goes to the writer, values go through the host. Values are never parsed as templates (R1). */
export function walk(nodes: readonly TemplateNode[], writer: FrameWriter, host: WalkHost): void {
  const frames = framesOf(nodes)
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i]
    const frame = frames[i]
    switch (node?.type) {
      case "literal":
        if (frame) writer.settled(frame, node.source)
        break
      case "slot": {
        const { name, placeholder } = node
        if (host.slot(node)) break
        const isFilled = placeholder && (host.scope?.(name, placeholder, true) ?? walkScope(placeholder, writer, host))
        if (!isFilled) writer.empty()
        break
      }
      case "conditional": {
        const taken = host.holds(node.name, node.source) ? node.then : node.otherwise
        const isPrinted = host.scope?.(node.name, taken, false) ?? walkScope(taken, writer, host)
        if (!isPrinted) writer.empty()
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

/** Prints a branch, a placeholder or an entry with its ends trimmed; true when something was printed. */
export function walkScope(nodes: readonly TemplateNode[], writer: FrameWriter, host: WalkHost): boolean {
  if (nodes.length === 0) return false
  const scope = writer.open()
  walk(nodes, writer, host)
  return writer.close(scope)
}
