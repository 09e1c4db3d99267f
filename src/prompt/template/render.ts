import { PromptStrataError } from "../../core/errors.ts"
import type { Source } from "../../core/source.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { SlotNode, Template, TemplateNode, TemplateRole } from "./ast.ts"
import { FrameWriter, framesOf } from "./frame-writer.ts"

/** Values for a template. They are inserted as they are and never parsed (R1). */
export type TemplateValues = Readonly<Record<string, string | number | boolean | undefined>>

/** Renders a parsed template with plain values, as `renderTemplate` does. It stands apart from the parser, which few programs need. */
export function renderParsed({ nodes, optional }: Template, values: TemplateValues): string {
  let out = ""
  const writer = new FrameWriter((text) => {
    out += text
  }, "literal")
  const host: WalkHost = {
    holds: (name) => printed(values, name) !== undefined,
    slot(node) {
      const text = printed(values, node.name)
      if (text === undefined) {
        const isKnown = Object.hasOwn(values, node.name) || node.placeholder !== undefined || optional.has(node.name)
        if (!isKnown) throw unknownName(node, Object.keys(values))
        return false
      }
      writer.beforeContent(node.source)
      out += text
      return true
    },
    role: (role, source) => {
      throw promptOnly(`role(${role})`, source)
    },
    messages: (name, source) => {
      throw promptOnly(`messages(${name})`, source)
    },
  }
  walk(nodes, writer, host)
  return out
}

/** The text a name prints, or `undefined` for nothing. */
function printed(values: TemplateValues, name: string): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined || value === false) return undefined
  const text = typeof value === "string" ? value : String(value)
  // The first character nearly always tells that the text is not blank, and trimming would copy the text.
  const first = text.charCodeAt(0)
  return (first > 0x20 && first < 0x7f) || text.trim() !== "" ? text : undefined
}

function unknownName(node: SlotNode, known: readonly string[]): PromptStrataError {
  const names = known.length === 0 ? "no values were given" : `known: ${known.join(", ")}`
  return new PromptStrataError("template", `expected a value for \${${node.name}}; ${names}.${didYouMean(node.name, known)}`, {
    source: node.source,
    hint: "Pass the value, write a placeholder (${name = text}), or declare the name optional.",
  })
}

function promptOnly(directive: string, source: Source): PromptStrataError {
  return new PromptStrataError("template", `\${${directive}} makes messages and only works in a prompt file.`, { source })
}

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
