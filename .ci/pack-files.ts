import type { CompiledFile } from "../src/prompt/dialect/dialect.ts"
import { literalLines, type PackedFile, type PackedNode, type PackedPlace } from "../src/prompt/dialect/packed-files.ts"
import { fold } from "../src/prompt/encode/fold.ts"
import type { TemplateNode } from "../src/prompt/template/ast.ts"

/** Writes compiled files as a text, from which `unpackFiles` makes them again without parsing a template. */
export function packFiles(files: ReadonlyMap<string, CompiledFile>): string {
  const packed = [...files].map(([name, { file, found }]): PackedFile => {
    const { lines, heads, frames } = found
    const signs = [found.fences ? 1 : 0, found.signs ? 1 : 0] as const
    if (file === undefined) return [`${name}.md`, 0, [lines, heads, frames, ...signs]]
    const { template, separator, omit } = file
    const optional = [...template.optional]
    const known = literalLines(template.nodes).map(fold)
    const pack = (lines: readonly string[]) => lines.map((line) => (known.includes(line) ? known.indexOf(line) : line))
    const nodes = packNodes(template.nodes, { file: template.file, line: 1 })
    const short = [template.file, nodes, [pack(lines), pack(heads), frames, ...signs]] as const
    return separator === "\n" && omit.length + optional.length === 0 ? short : [...short, separator, omit, optional]
  })
  return JSON.stringify(packed)
}

function packNodes(nodes: readonly TemplateNode[], at: PackedPlace): PackedNode[] {
  return nodes.map((node) => packNode(node, at))
}

function packNode(node: TemplateNode, at: PackedPlace): PackedNode {
  const { file, column = 0 } = node.source
  const from = file === at.file ? ([] as const) : ([file] as const)
  const line = node.source.line - at.line
  at.line = node.source.line
  switch (node.type) {
    case "literal":
      at.line += node.text.split("\n").length - 1
      return line === 0 && file === at.file ? node.text : ["text", node.text, line, ...from]
    case "role":
      return ["role", node.role, line, column, ...from]
    case "messages":
      return ["messages", node.name, line, column, ...from]
    case "slot": {
      const placeholder = node.placeholder ? packNodes(node.placeholder, at) : 0
      const slot = ["slot", node.name, line, column, node.alone ? 1 : 0] as const
      return node.encoder || placeholder || file !== at.file ? [...slot, node.encoder ?? "", placeholder, ...from] : slot
    }
    case "conditional": {
      const held = ["if", node.name, line, column, node.alone ? 1 : 0, packNodes(node.then, at)] as const
      const otherwise = packNodes(node.otherwise, at)
      return otherwise.length > 0 || file !== at.file ? [...held, otherwise, ...from] : held
    }
  }
}
