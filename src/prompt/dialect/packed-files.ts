import type { Source } from "../../core/source.ts"
import { fold } from "../encode/fold.ts"
import { type EncoderName, type Template, type TemplateNode, type TemplateRole, withBranches } from "../template/ast.ts"
import type { CompiledFile } from "./dialect.ts"
import type { FoundLines } from "./markers.ts"
import type { PromptAttributes } from "./prompt-attributes.ts"
import { promptName } from "./prompt-source.ts"

/** A compiled file as JSON, with short lists in place of objects, as `npm run prompts` writes it. Most files have no last three items. */
export type PackedFile = readonly [
  path: string,
  /** 0 for a file of which only the headings are packed. */
  nodes: readonly PackedNode[] | 0,
  found: PackedLines,
  separator?: PromptAttributes["separator"],
  omit?: readonly string[],
  optional?: readonly string[],
]

/** Found lines. Most are lines of the file's literals, folded: then the index of that line stands for the text. */
type PackedLines = readonly [
  lines: readonly (number | string)[],
  heads: readonly (number | string)[],
  frames: FoundLines["frames"],
  fences: 0 | 1,
  signs: 0 | 1,
]

/**
 * The line is counted from where the node before it ends. The last item names the file of a node that `file_load` brought. A string is a
 * text that begins there.
 */
export type PackedNode =
  | string
  | readonly [type: "text", text: string, line: number, file?: string]
  | readonly [type: "role" | "messages", name: string, line: number, column: number, file?: string]
  | readonly [
      type: "slot",
      name: string,
      line: number,
      column: number,
      alone: 0 | 1,
      encoder?: EncoderName | "",
      placeholder?: readonly PackedNode[] | 0,
      file?: string,
    ]
  | readonly [
      type: "if",
      name: string,
      line: number,
      column: number,
      alone: 0 | 1,
      then: readonly PackedNode[],
      otherwise?: readonly PackedNode[],
      file?: string,
    ]

/** The lines of all literals, in branches and placeholders too. */
export function literalLines(nodes: readonly TemplateNode[]): string[] {
  return nodes.flatMap((node) => {
    if (node.type === "literal") return node.text.split("\n")
    if (node.type === "conditional") return [...literalLines(node.then), ...literalLines(node.otherwise)]
    return node.type === "slot" ? literalLines(node.placeholder ?? []) : []
  })
}

/** Makes the files that were packed, by their names. */
export function unpackFiles(packed: string): ReadonlyMap<string, CompiledFile> {
  const files = JSON.parse(packed) as readonly PackedFile[]
  return new Map(
    files.map(([path, nodes, [lines, heads, frames, fences, signs], separator = "\n", omit = [], optional = []]) => {
      const at = { file: path, line: 1 }
      const template: Template = { file: path, nodes: unpackNodes(nodes || [], at), optional: new Set(optional) }
      const known = literalLines(template.nodes)
      const unpack = (packed: PackedLines[0]) => packed.map((line) => (typeof line === "string" ? line : fold(known[line] ?? "")))
      const found = { lines: unpack(lines), heads: unpack(heads), frames, fences: fences === 1, signs: signs === 1 }
      return [promptName(path), { file: nodes ? { template, separator, omit } : undefined, found }]
    }),
  )
}

/** The file of a template, and the line that its next node is counted from. */
export type PackedPlace = { readonly file: string; line: number }

function unpackNodes(nodes: readonly PackedNode[], at: PackedPlace): TemplateNode[] {
  return nodes.map((node) => unpackNode(node, at))
}

function unpackNode(packed: PackedNode, at: PackedPlace): TemplateNode {
  const node = typeof packed === "string" ? (["text", packed, 0] as const) : packed
  at.line += node[2]
  const { line } = at
  switch (node[0]) {
    case "text": {
      const [, text, , file = at.file] = node
      at.line += text.split("\n").length - 1
      return { type: "literal", text, source: { file, line } }
    }
    case "role":
    case "messages": {
      const [type, name, , column, file = at.file] = node
      const source: Source = { file, line, column }
      return type === "role" ? { type, role: name as TemplateRole, source } : { type, name, source }
    }
    case "slot": {
      const [type, name, , column, alone, encoder, placeholder, file = at.file] = node
      const source: Source = { file, line, column }
      const other = placeholder ? unpackNodes(placeholder, at) : undefined
      return { type, name, encoder: encoder || undefined, placeholder: other, alone: alone === 1, source }
    }
    case "if": {
      const [, name, , column, alone, held, otherwise = [], file = at.file] = node
      const branches = { whenHeld: unpackNodes(held, at), otherwise: unpackNodes(otherwise, at) }
      return withBranches({ type: "conditional", name, alone: alone === 1, source: { file, line, column } }, branches)
    }
  }
}
