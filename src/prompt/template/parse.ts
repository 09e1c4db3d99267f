import { checkOptions, checkType } from "../../core/check-options.ts"
import { messageOf } from "../../core/errors.ts"
import type { Source } from "../../core/source.ts"
import { didYouMean } from "../../core/suggest.ts"
import {
  type ConditionalNode,
  type EncoderName,
  type SlotNode,
  type Template,
  type TemplateNode,
  type TemplateRole,
  withBranches,
} from "./ast.ts"
import { type BranchPart, dedentParts, eatDirectiveLines, flattenParts, settleLines, trimNodes } from "./branch-layout.ts"
import { markAlone } from "./own-line.ts"
import { closeExpression, maxDepth, type ParseState, takeMark, templateError, unexpected } from "./parse-state.ts"
import { createLocator, createScanner, normalizeText, scanLiteral, scanName, scanPattern, skipBlank } from "./scanner.ts"

const encoders = ["lines", "inline", "tail", "fence", "indent", "transcript", "speaker"] as const satisfies readonly EncoderName[]

/** Parses a whole file, `depth` expressions deep in others. */
export function parseFileNodes(state: ParseState, depth: number): TemplateNode[] {
  return flattenParts(eatDirectiveLines(parseParts(state, "", depth)))
}

/** Parses up to a stop or to the end of the text. The stop is left to the caller. */
function parseParts(state: ParseState, stops: "" | "}" | ":}", depth: number): BranchPart[] {
  const { scanner, file } = state
  const parts: BranchPart[] = []
  for (;;) {
    const { line } = state.locate(scanner.at)
    const text = scanLiteral(scanner, stops)
    if (text !== "") parts.push({ type: "text", text, line, file })
    if (!scanner.text.startsWith("${", scanner.at)) return parts
    parts.push(parseExpression(state, depth + 1))
  }
}

/** Parses a branch or a placeholder, dedented and trimmed. */
function parseBranch(state: ParseState, stops: "}" | ":}", depth: number): TemplateNode[] {
  return trimNodes(flattenParts(eatDirectiveLines(dedentParts(parseParts(state, stops, depth)))))
}

function parseExpression(state: ParseState, depth: number): BranchPart {
  const head = parseHead(state, depth)
  switch (state.scanner.text[state.scanner.at]) {
    case "(":
      return parseDirective(state, head)
    case "?":
      return { type: "expression", node: parseConditional(state, head) }
    default:
      return { type: "expression", node: parseSlot(state, head) }
  }
}

function parseHead(state: ParseState, depth: number): ExpressionHead {
  const { scanner, file } = state
  const open = scanner.at
  if (depth > maxDepth) throw templateError(state, open, `expected \${…} at most ${maxDepth} deep in each other, found more.`)
  const source = { file, ...state.locate(open) }
  scanner.at += 2
  skipBlank(scanner)
  const name = scanName(scanner)
  if (name === "") throw unexpected(state, open, "a name after ${")
  skipBlank(scanner)
  return { open, name, depth, source }
}

function parseSlot(state: ParseState, { open, name, depth, source }: ExpressionHead): SlotNode {
  const { scanner } = state
  const encoder = takeMark(scanner, "|") ? parseEncoder(state, open) : undefined
  const placeholder = takeMark(scanner, "=") ? parseBranch(state, "}", depth) : undefined
  closeExpression(state, open, placeholder ? "}" : encoder ? "} or =" : `}, |, = or ? after the name ${name}`)
  return { type: "slot", name, encoder, placeholder, alone: false, source }
}

function parseConditional(state: ParseState, { open, name, depth, source }: ExpressionHead): ConditionalNode {
  takeMark(state.scanner, "?")
  const whenHeld = parseBranch(state, ":}", depth)
  checkSeparator(state)
  const otherwise = takeMark(state.scanner, ":") ? parseBranch(state, "}", depth) : []
  closeExpression(state, open, "}")
  return withBranches({ type: "conditional", name, alone: false, source }, { whenHeld, otherwise })
}

/** Only a `:` between white space separates the branches, so that one in an address or a time is not taken for it (R1). */
function checkSeparator(state: ParseState): void {
  const { text, at } = state.scanner
  if (text[at] !== ":" || (/\s/.test(text.charAt(at - 1)) && /\s/.test(text.charAt(at + 1)))) return
  throw templateError(state, at, "expected white space on both sides of the : between two branches.", {
    hint: "Write ` : ` between the branches, or $: for the character.",
  })
}

function parseEncoder(state: ParseState, open: number): EncoderName {
  const { scanner } = state
  skipBlank(scanner)
  const at = scanner.at
  const word = scanName(scanner)
  const encoder = encoders.find((name) => name === word)
  const wanted = `an encoder (${encoders.join(", ")})`
  if (word === "") throw unexpected(state, open, wanted)
  if (!encoder) throw templateError(state, at, `expected ${wanted}, found ${JSON.stringify(word)}.${didYouMean(word, encoders)}`)
  skipBlank(scanner)
  return encoder
}

const roles = ["system", "developer", "user", "assistant"] as const satisfies readonly TemplateRole[]

/** Every directive with a description of its argument. */
const argumentOf = { file_load: "a path", messages: "the name of a list", role: `a role (${roles.join(", ")})` } as const

type Directive = keyof typeof argumentOf

/** An expression up to the end of its name. */
interface ExpressionHead {
  readonly name: string
  readonly open: number
  readonly depth: number
  readonly source: { readonly file: string; readonly line: number; readonly column: number }
}

/** The text between the parentheses of a directive, and its place. */
interface Argument {
  readonly text: string
  readonly at: number
}

/** Parses the rest of `${role(…)}`, `${messages(…)}` or `${file_load(…)}`. */
function parseDirective(state: ParseState, { name, open, depth, source }: ExpressionHead): BranchPart {
  const directive = directiveNamed(state, name, open)
  const argument = parseArgument(state, directive, open)
  closeExpression(state, open, "}")
  switch (directive) {
    case "role":
      return { type: "expression", node: { type: "role", role: roleNamed(state, argument), source } }
    case "messages":
      return { type: "expression", node: { type: "messages", name: checkedName(state, argument), source } }
    case "file_load":
      return { type: "included", nodes: state.include(argument.text, open, depth) }
  }
}

function directiveNamed(state: ParseState, name: string, open: number): Directive {
  if (Object.hasOwn(argumentOf, name)) return name as Directive
  const known = Object.keys(argumentOf)
  throw templateError(state, open, `expected one of ${known.join(", ")} before (, found ${name}.${didYouMean(name, known)}`)
}

function parseArgument(state: ParseState, directive: Directive, open: number): Argument {
  const { scanner } = state
  takeMark(scanner, "(")
  scanPattern(scanner, /[ \t]*/y)
  const at = scanner.at
  const text = scanPattern(scanner, /[^)}\n]*/y).trimEnd()
  if (!takeMark(scanner, ")")) throw unexpected(state, open, `a ) after ${directive}(${text}`)
  if (text === "") throw templateError(state, at, `expected ${argumentOf[directive]} in ${directive}(), found nothing.`)
  return { text, at }
}

function roleNamed(state: ParseState, { text, at }: Argument): TemplateRole {
  const role = roles.find((known) => known === text)
  if (role) return role
  throw templateError(state, at, `expected ${argumentOf.role}, found ${JSON.stringify(text)}.${didYouMean(text, roles)}`)
}

function checkedName(state: ParseState, { text, at }: Argument): string {
  if (scanName(createScanner(text)) === text) return text
  const found = JSON.stringify(text)
  throw templateError(state, at, `expected ${argumentOf.messages} (letters, digits, _ - and dots), found ${found}.`)
}

/** Options of {@link parseTemplate}. */
export interface ParseOptions {
  /** The name of the file in sources and errors. Default `template`. */
  readonly file?: string
  /** The line of the file on which the text begins. Default 1. */
  readonly firstLine?: number
  /** Loads the file of `${file_load(path)}`. Without it that directive is an error. */
  readonly load?: TemplateLoader
  /** Names that `renderTemplate` may find absent without an error. */
  readonly optional?: readonly string[]
}

/**
 * Compiles a text of the template language (R1, R2): `${name | encoder = placeholder}`, `${name? A : B}`, `${role(…)}`,
 * `${messages(…)}`, `${file_load(…)}`. `$${`, `$:` and `$}` stand for the characters `${`, `:` and `}`. Line breaks become
 * `\n`. Throws a located error with code `template` for a mistake in the text.
 */
export function parseTemplate(text: string, options: ParseOptions = {}): Template {
  checkType("the text of parseTemplate", text, "string")
  checkOptions("parseTemplate", options, { file: true, firstLine: true, load: true, optional: true })
  const { file = "template", firstLine = 1, load, optional = [] } = options
  const nodes = parseFile({ text, file, firstLine }, { load, loads: 0 }, { chain: [file], depth: 0 })
  return { file, nodes: markAlone(settleLines(nodes)), optional: new Set(optional) }
}

function parseFile(
  { text, file, firstLine = 1 }: LoadedText,
  run: IncludeRun,
  { chain, depth }: { readonly chain: readonly string[]; readonly depth: number },
): TemplateNode[] {
  const scanner = createScanner(normalizeText(text))
  const state: ParseState = {
    file,
    firstLine,
    scanner,
    locate: createLocator(scanner, firstLine),
    include(path, offset, depthThere) {
      const loaded = loadFile(run, state, { path, offset, chain })
      // The line with the directive has a line break of its own.
      const body = normalizeText(loaded.text).replace(/\n$/, "")
      return parseFile({ ...loaded, text: body }, run, { chain: [...chain, loaded.file], depth: depthThere })
    },
  }
  return parseFileNodes(state, depth)
}

/** A file that a template loads: its text, the name that stands for it in sources, and the line its text begins on. */
interface LoadedText {
  readonly text: string
  readonly file: string
  readonly firstLine?: number
}

/** Finds the file of `${file_load(path)}`, written at `from`; throws when there is none. One file has one name. */
export type TemplateLoader = (path: string, from: Source) => LoadedText

/** How many files may load one another in a row. */
const maxChain = 32

/** How many `${file_load(…)}` one template may run. Bounds includes that double at each step. */
const maxLoads = 256

/** The state that the files of one template share. */
interface IncludeRun {
  readonly load: TemplateLoader | undefined
  loads: number
}

/** Loads the file that the last file of `chain` asks for at `offset`. Throws for cycles, too many and missing files (R2). */
function loadFile(
  run: IncludeRun,
  state: ParseState,
  { path, offset, chain }: { readonly path: string; readonly offset: number; readonly chain: readonly string[] },
): LoadedText {
  const fail = (message: string, details: { hint?: string; cause?: unknown } = {}) =>
    templateError(state, offset, message, { ...details, evidence: { kind: "file-load" } })
  if (!run.load) throw fail(`\${file_load(${path})} cannot be followed here: this text was parsed without a loader.`)
  if (chain.length > maxChain)
    throw fail(`expected at most ${maxChain} files loading one another, found more: ${showChain(chain)}.`)
  if (++run.loads > maxLoads) throw fail(`expected at most ${maxLoads} loaded files in one template, found more.`)
  const loaded = load(run.load)
  if (chain.includes(loaded.file)) throw fail(`files load one another in a circle: ${showChain([...chain, loaded.file])}.`)
  return loaded

  function load(loader: TemplateLoader): LoadedText {
    try {
      return loader(path, { file: state.file, ...state.locate(offset) })
    } catch (error) {
      throw fail(`cannot load ${JSON.stringify(path)}: ${messageOf(error)}`, { cause: error })
    }
  }
}

function showChain(files: readonly string[]): string {
  return files.join(" → ")
}
