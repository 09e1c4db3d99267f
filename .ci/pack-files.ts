import type { CompiledFile } from "../src/prompt/dialect/dialect.ts"
import { literalLines, type PackedFile, type PackedNode } from "../src/prompt/dialect/packed-files.ts"
import { fold } from "../src/prompt/encode/fold.ts"
import type { TemplateNode } from "../src/prompt/template/ast.ts"

/** Writes compiled files as a text, from which `unpackFiles` makes them again without parsing a template. */
export function packFiles(files: ReadonlyMap<string, CompiledFile>): string {
  const packed = [...files].map(([name, { file, found }]): PackedFile => {
    if (file === undefined) return [`${name}.md`, "\n", [], [], 0, found]
    const { template, separator, omit } = file
    const known = literalLines(template.nodes).map(fold)
    const pack = (lines: readonly string[]) => lines.map((line) => (known.includes(line) ? known.indexOf(line) : line))
    const lines = { ...found, lines: pack(found.lines), heads: pack(found.heads) }
    return [template.file, separator, omit, [...template.optional], packNodes(template.nodes, template.file), lines]
  })
  return JSON.stringify(packed)
}

function packNodes(nodes: readonly TemplateNode[], own: string): PackedNode[] {
  return nodes.map((node) => packNode(node, own))
}

function packNode(node: TemplateNode, own: string): PackedNode {
  const { file, line, column = 0 } = node.source
  const from = file === own ? ([] as const) : ([file] as const)
  switch (node.type) {
    case "literal":
      return ["text", node.text, line, ...from]
    case "role":
      return ["role", node.role, line, column, ...from]
    case "messages":
      return ["messages", node.name, line, column, ...from]
    case "slot": {
      const placeholder = node.placeholder ? packNodes(node.placeholder, own) : 0
      return ["slot", node.name, line, column, node.alone ? 1 : 0, node.encoder ?? "", placeholder, ...from]
    }
    case "conditional": {
      const branches = [packNodes(node.then, own), packNodes(node.otherwise, own)] as const
      return ["if", node.name, line, column, node.alone ? 1 : 0, ...branches, ...from]
    }
  }
}
