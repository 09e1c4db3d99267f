import type { TemplateNode } from "./ast.ts"

/** A piece of one file's branch before it is laid out: its own text, its own expressions, or another file's nodes. */
export type Part =
  | { readonly type: "text"; readonly text: string; readonly line: number; readonly file: string }
  | { readonly type: "expression"; readonly node: Exclude<TemplateNode, { type: "literal" }> }
  | { readonly type: "included"; readonly nodes: readonly TemplateNode[] }

/** The parts as nodes; a literal's line is that of its first character. */
export function flattenParts(parts: readonly Part[]): TemplateNode[] {
  return parts.flatMap((part): readonly TemplateNode[] => {
    if (part.type === "included") return part.nodes
    if (part.type === "expression") return [part.node]
    return part.text === "" ? [] : [{ type: "literal", text: part.text, source: { file: part.file, line: part.line } }]
  })
}
