import { PromptStrataError } from "../../core/errors.ts"
import { locatedError } from "../../core/evidence/located-error.ts"
import type { Template, TemplateNode } from "../template/ast.ts"
import { blankEnd, blankStart } from "../template/frame-writer.ts"
import { markAlone } from "../template/own-line.ts"
import { parseTemplate, type TemplateLoader } from "../template/parse.ts"
import { normalizeText } from "../template/scanner.ts"
import { type CompiledFile, type Dialect, dialectOf, opensMessage, type PromptFile } from "./dialect.ts"
import { findLines } from "./found-lines.ts"
import { readPromptAttributes } from "./prompt-attributes.ts"
import { isPrompt, type PromptSource, promptKinds, promptName } from "./prompt-source.ts"
import { sourceLoader } from "./source-loader.ts"

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
export function compileDialect({ name, locale, files, load }: DialectSource): Dialect {
  return dialectOf({ name, locale }, compileFiles(files, load))
}

/** Compiles prompt files, each by itself, by their names. Throws as {@link compileDialect} does. */
export function compileFiles(
  files: readonly PromptSource[],
  load: TemplateLoader = sourceLoader(files),
): ReadonlyMap<string, CompiledFile> {
  const compiled = new Map<string, CompiledFile>()
  for (const source of files) {
    if (!isPrompt(source.path)) continue
    const name = promptName(source.path)
    if (compiled.has(name)) throw twoOfOneName(source, files)
    const file = compileFile(source, load)
    compiled.set(name, { file, found: findLines(file.template) })
  }
  return compiled
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
