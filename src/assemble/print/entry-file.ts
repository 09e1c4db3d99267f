import { PromptStrataError } from "../../core/errors.ts"
import type { Source } from "../../core/source.ts"
import type { Dialect, PromptFile } from "../../dialect/dialect.ts"
import type { SlotNode, TemplateNode } from "../../template/ast.ts"

/** The file that prints the entries of a list of that name; a file that makes messages is a prompt and prints none. */
export function entryFile(dialect: Dialect, name: string): PromptFile | undefined {
  const file = dialect.files.get(name)
  return file && !makesMessages(file.template.nodes) ? file : undefined
}

function makesMessages(nodes: readonly TemplateNode[]): boolean {
  return nodes.some((node) => {
    if (node.type === "conditional") return makesMessages(node.then) || makesMessages(node.otherwise)
    return node.type === "role" || node.type === "messages"
  })
}

/** For a slot whose list no file prints. */
export function missingEntryFile(name: string, dialect: Dialect, node: SlotNode): PromptStrataError {
  return new PromptStrataError(
    "prompt-missing",
    `\${${node.name}} holds a list, and dialect "${dialect.name}" has no file ${name}.md to print its entries.`,
    {
      source: node.source,
      hint: `Add ${name}.md with a slot for each value of an entry, or give text instead of a list.`,
    },
  )
}

/** For `${messages(name)}` when the injection is no list. */
export function notEntries(name: string, source: Source): PromptStrataError {
  return new PromptStrataError("injection", `expected a list of entries for \${messages(${name})}, found text.`, {
    source,
    hint: `Give the injection "${name}" a list, or write \${${name}} instead.`,
  })
}
