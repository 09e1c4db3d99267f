import { mapBranches, type TemplateNode } from "./ast.ts"
import { blankEnd, blankStart, leadingBlank } from "./frame-writer.ts"
import { endsBlank, isBlank, startsBlank } from "./own-line.ts"

/** A piece of one file's branch before it is laid out: its own text, its own expressions, or another file's nodes. */
export type BranchPart =
  | { readonly type: "text"; readonly text: string; readonly line: number; readonly file: string }
  | { readonly type: "expression"; readonly node: Exclude<TemplateNode, { type: "literal" }> }
  | { readonly type: "included"; readonly nodes: readonly TemplateNode[] }

/** Turns the parts into nodes. The source of a literal is the line of its first character. */
export function flattenParts(parts: readonly BranchPart[]): TemplateNode[] {
  return parts.flatMap((part): readonly TemplateNode[] => {
    if (part.type === "included") return part.nodes
    if (part.type === "expression") return [part.node]
    return part.text === "" ? [] : [{ type: "literal", text: part.text, source: { file: part.file, line: part.line } }]
  })
}

/**
 * Removes the indentation that all non-blank lines of a branch share. The line on which the branch opens does not count,
 * included files keep their indentation, and blank lines lose their white space.
 */
export function dedentParts(parts: readonly BranchPart[]): BranchPart[] {
  const margin = commonMargin(parts)
  return parts.map((part, index) => {
    if (part.type !== "text") return part
    const isLast = index === parts.length - 1
    const lines = part.text.split("\n")
    const dedented = lines.map((line, i) => {
      if (i === 0) return line
      return isBlank(line) && (isLast || i < lines.length - 1) ? "" : line.slice(margin.length)
    })
    return { ...part, text: dedented.join("\n") }
  })
}

function commonMargin(parts: readonly BranchPart[]): string {
  let common: string | undefined
  parts.forEach((part, index) => {
    if (part.type !== "text") return
    const isLast = index === parts.length - 1
    const lines = part.text.split("\n")
    for (let i = 1; i < lines.length; i++) {
      const line = lines[i] ?? ""
      if (isBlank(line) && (isLast || i < lines.length - 1)) continue
      common = sharedStart(common, leadingBlank(line))
    }
  })
  return common ?? ""
}

function sharedStart(a: string | undefined, b: string): string {
  if (a === undefined) return b
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return a.slice(0, length)
}

/** Removes the line break and the white space of each line that holds only `${role(…)}` or `${messages(…)}`. */
export function eatDirectiveLines(parts: readonly BranchPart[]): BranchPart[] {
  const eats = directivesAlone(parts)
  return parts.map((part, i) => {
    if (part.type !== "text") return part
    const newline = eats[i - 1] ? part.text.indexOf("\n") : -1
    const text = part.text.slice(newline + 1)
    return {
      ...part,
      text: eats[i + 1] ? text.slice(0, text.lastIndexOf("\n") + 1) : text,
      line: part.line + (newline < 0 ? 0 : 1),
    }
  })
}

/** True for each part that is a directive and has only white space and other directives on its line. */
function directivesAlone(parts: readonly BranchPart[]): boolean[] {
  const after = blankAfter(parts)
  let before = true
  return parts.map((part, i) => {
    if (isDirective(part)) return before && after[i] === true
    before = part.type === "text" && endsBlank(part.text, before)
    return false
  })
}

function blankAfter(parts: readonly BranchPart[]): boolean[] {
  const blank: boolean[] = []
  let after = true
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i]
    blank[i] = after
    if (part && !isDirective(part)) after = part.type === "text" && startsBlank(part.text, after)
  }
  return blank
}

function isDirective(part: BranchPart): boolean {
  return part.type === "expression" && (part.node.type === "role" || part.node.type === "messages")
}

/** Removes spaces, tabs and line breaks from the literal text at both ends. An ideographic space is text and stays. */
export function trimNodes(nodes: readonly TemplateNode[]): TemplateNode[] {
  return trimEnd(trimStart(nodes))
}

function trimStart(nodes: readonly TemplateNode[]): TemplateNode[] {
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i]
    if (node?.type !== "literal") return nodes.slice(i)
    const start = blankStart(node.text)
    if (start === node.text.length) continue
    const line = node.source.line + node.text.slice(0, start).split("\n").length - 1
    return [{ ...node, text: node.text.slice(start), source: { ...node.source, line } }, ...nodes.slice(i + 1)]
  }
  return []
}

function trimEnd(nodes: readonly TemplateNode[]): TemplateNode[] {
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]
    if (node?.type !== "literal") return nodes.slice(0, i + 1)
    const text = node.text.slice(0, blankEnd(node.text))
    if (text !== "") return [...nodes.slice(0, i), { ...node, text }]
  }
  return []
}

/** Moves the source line of each literal to its first character that is no line break. */
export function settleLines(nodes: readonly TemplateNode[]): TemplateNode[] {
  return nodes.map((node) => {
    if (node.type === "literal") {
      const breaks = node.text.search(/[^\n]/)
      return breaks <= 0 ? node : { ...node, source: { ...node.source, line: node.source.line + breaks } }
    }
    return node.type === "conditional" || node.type === "slot" ? mapBranches(node, settleLines) : node
  })
}
