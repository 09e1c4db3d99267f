import type { LineShape, Markers } from "../encode/lines.ts"
import type { Template, TemplateNode } from "../template/ast.ts"
import { type FoundLines, markersOf, shapesOf } from "./markers.ts"
import type { PromptAttributes } from "./prompt-attributes.ts"
import { promptKinds } from "./prompt-source.ts"

/** One compiled prompt file. */
export interface PromptFile extends Pick<PromptAttributes, "separator" | "omit"> {
  readonly template: Template
  /** The keys in `omit` that the profile names, and not the file. */
  readonly off?: readonly string[]
  /** Shapes of headings and rules that a request of this file has, and a turn's requests do not. */
  readonly shapes?: readonly LineShape[]
}

/** A folder of prompt files in one locale, compiled. */
export interface Dialect {
  readonly name: string
  readonly locale: string
  /** The files by name, without folder and ending: `planner`, `history`, … */
  readonly files: ReadonlyMap<string, PromptFile>
  /** Lines and beginnings of lines, of all files, that untrusted text must not imitate. */
  readonly markers: Markers
}

/** A compiled prompt file, and the lines that it can print. */
export interface CompiledFile {
  readonly file: PromptFile
  readonly found: FoundLines
}

/** Puts compiled files together to a dialect, with the markers of them all. */
export function dialectOf(
  { name, locale }: Pick<Dialect, "name" | "locale">,
  compiled: ReadonlyMap<string, CompiledFile>,
): Dialect {
  const ofTurn = [...compiled].filter(([name, { file }]) => turnPrompts.includes(name) || !opensMessage(file.template.nodes))
  const shapes = shapesOf(markersOf(ofTurn.map(([, { found }]) => found)))
  const files = new Map<string, PromptFile>()
  for (const [name, { file, found }] of compiled) {
    const own = shapesOf(markersOf([found])).filter((shape) => !shapes.includes(shape))
    files.set(name, own.length > 0 ? { ...file, shapes: own } : file)
  }
  return { name, locale, files, markers: { ...markersOf([...compiled.values()].map(({ found }) => found)), shapes } }
}

/** The prompts of a turn. Others make requests of their own in the background, with headings of their own. */
const turnPrompts = [...promptKinds, "native"]

/** The dialect without the blocks of context that a profile leaves out of the turn's prompts (L7b). */
export function withoutContext(dialect: Dialect, off: readonly string[]): Dialect {
  if (off.length === 0) return dialect
  const files = new Map(dialect.files)
  for (const name of turnPrompts) {
    const file = files.get(name)
    if (file) files.set(name, { ...file, omit: [...file.omit, ...off], off })
  }
  return { ...dialect, files }
}

/** True if the nodes make messages, as those of a prompt do; a file that prints entries makes none. */
export function opensMessage(nodes: readonly TemplateNode[]): boolean {
  return nodes.some((node) => {
    if (node.type === "conditional") return opensMessage(node.then) || opensMessage(node.otherwise)
    return node.type === "role"
  })
}
