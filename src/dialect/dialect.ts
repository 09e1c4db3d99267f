import { locatedError, PromptStrataError } from "../core/errors.ts"
import type { LineShape, Markers } from "../encode/lines.ts"
import type { Template, TemplateNode } from "../template/ast.ts"
import { blankEnd, blankStart } from "../template/blank.ts"
import { markAlone } from "../template/own-line.ts"
import { parseTemplate, type TemplateLoader } from "../template/parse.ts"
import { normalizeText } from "../template/scanner.ts"
import { deriveMarkers, shapesOf } from "./markers.ts"
import {
  isPrompt,
  type PromptAttributes,
  type PromptSource,
  promptKinds,
  promptName,
  readPromptAttributes,
} from "./prompt-source.ts"
import { sourceLoader } from "./source-loader.ts"

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

/** The source of a dialect. */
export interface DialectSource {
  readonly name: string
  readonly locale: string
  /** Files ending in `.md` become prompts; others can be loaded by `file_load`. */
  readonly files: readonly PromptSource[]
  /** Finds the files of `file_load`. Default: among `files`. */
  readonly load?: TemplateLoader
}

/**
 * Compiles a dialect. Blank lines at the ends of a file are left out. Throws for a mistake in a template or in front matter,
 * for two files of one name, and for a prompt without `${rest}`.
 */
export function compileDialect({ name, locale, files, load = sourceLoader(files) }: DialectSource): Dialect {
  const compiled = new Map<string, PromptFile>()
  for (const source of files) {
    if (!isPrompt(source.path)) continue
    const fileName = promptName(source.path)
    if (compiled.has(fileName)) throw twoOfOneName(source, files)
    compiled.set(fileName, compileFile(source, load))
  }
  const markers = deriveMarkers([...compiled.values()].map(({ template }) => template))
  const ofTurn = [...compiled].filter(([name, { template }]) => turnPrompts.includes(name) || !opensMessage(template.nodes))
  const shapes = shapesOf(deriveMarkers(ofTurn.map(([, { template }]) => template)))
  for (const [name, file] of compiled) {
    const own = shapesOf(deriveMarkers([file.template])).filter((shape) => !shapes.includes(shape))
    if (own.length > 0) compiled.set(name, { ...file, shapes: own })
  }
  return { name, locale, files: compiled, markers: { ...markers, shapes } }
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

function compileFile(source: PromptSource, load: TemplateLoader): PromptFile {
  const { separator, optional, omit } = readPromptAttributes(source)
  const { text, firstLine } = withoutBlankEnds(source)
  const parsed = parseTemplate(text, { file: source.path, firstLine, load, optional })
  // Entries with commas between them share a line, so no value at their ends is alone on its line.
  const nodes = separator === ", " ? markAlone(parsed.nodes, { start: false, end: false }) : parsed.nodes
  const template: Template = { ...parsed, nodes }
  requireRest(source, template)
  // In a prompt that only answers no tool can be called: without a slot for them, tools would be printed at the rest slot.
  const isAnswer = ["final", "chat"].includes(promptName(source.path))
  const uncallable = isAnswer ? ["tools", "tool_groups", "tool_parameters"] : []
  return { template, separator, omit: [...omit, ...uncallable.filter((key) => !omit.includes(key) && !mentions(nodes, key))] }
}

function withoutBlankEnds({ body, firstLine }: PromptSource): { text: string; firstLine: number } {
  const text = normalizeText(body)
  const end = blankEnd(text)
  const start = text.lastIndexOf("\n", blankStart(text) - 1) + 1
  return { text: text.slice(Math.min(start, end), end), firstLine: firstLine + text.slice(0, start).split("\n").length - 1 }
}

function twoOfOneName(source: PromptSource, files: readonly PromptSource[]): PromptStrataError {
  const name = promptName(source.path)
  const paths = files.filter(({ path }) => isPrompt(path) && promptName(path) === name).map(({ path }) => path)
  return new PromptStrataError("prompt", `expected one file named ${name} in a dialect, found ${paths.join(" and ")}.`, {
    source: { file: source.path, line: 1 },
    hint: "Rename one of them, or put them together.",
    evidence: { kind: "two-files" },
  })
}

/**
 * Throws for a prompt in which an injection without a slot could vanish. `${rest}` must be printed in every branch; only a
 * condition on `rest` itself may hold it.
 */
export function requireRest(source: PromptSource, template: Template): void {
  const name = promptName(source.path)
  if (!promptKinds.includes(name) && !opensMessage(template.nodes)) return
  if (printsRest(template.nodes)) return
  const message = mentions(template.nodes, "rest")
    ? `expected \${rest} to be printed in any case, found it only inside a condition on another name.`
    : `expected a \${rest} slot in a prompt file, found none.`
  throw locatedError("prompt", message, {
    file: source.path,
    text: "\n".repeat(source.firstLine - 1) + source.body,
    position: { line: source.firstLine, column: 1 },
    hint: `Text without a slot of its own is printed at \${rest}, so that no plugin's text is lost. Put \${rest} where it belongs.`,
    evidence: { kind: "rest-slot" },
  })
}

function printsRest(nodes: readonly TemplateNode[]): boolean {
  return nodes.some((node) => {
    if (node.type === "slot" || node.type === "messages") return node.name === "rest"
    if (node.type !== "conditional") return false
    return printsRest(node.then) && (node.name === "rest" || printsRest(node.otherwise))
  })
}

/** True if the nodes print a slot of this name, also in a branch. */
function mentions(nodes: readonly TemplateNode[], name: string): boolean {
  return nodes.some((node) => {
    if (node.type === "conditional") return mentions([...node.then, ...node.otherwise], name)
    return node.type === "slot" && (node.name === name || mentions(node.placeholder ?? [], name))
  })
}

function opensMessage(nodes: readonly TemplateNode[]): boolean {
  return nodes.some((node) => {
    if (node.type === "conditional") return opensMessage(node.then) || opensMessage(node.otherwise)
    return node.type === "role"
  })
}
