import { PromptStrataError } from "../core/errors.ts"
import type { Source } from "../core/source.ts"
import { didYouMean } from "../core/suggest.ts"
import type { SlotNode, Template } from "./ast.ts"
import { FrameWriter } from "./frame-writer.ts"
import { parseTemplate } from "./parse.ts"
import { type WalkHost, walk } from "./walk.ts"

/** Values for a template. They are inserted as they are and never parsed (R1). */
export type TemplateValues = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * Renders a template with plain values (R1). A name that `values` lacks is an error unless it has a placeholder, stands
 * in a condition or is declared optional; `undefined`, `false` and blank text print nothing.
 */
export function renderTemplate(template: Template | string, values: TemplateValues = {}): string {
  const compiled = typeof template === "string" ? parseTemplate(template) : template
  let out = ""
  const writer = new FrameWriter((text) => {
    out += text
  }, "literal")
  const host: WalkHost = {
    holds: (name) => printed(values, name) !== undefined,
    slot(node) {
      const text = printed(values, node.name)
      if (text === undefined) {
        const isKnown = Object.hasOwn(values, node.name) || node.placeholder !== undefined || compiled.optional.has(node.name)
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
  walk(compiled.nodes, writer, host)
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
