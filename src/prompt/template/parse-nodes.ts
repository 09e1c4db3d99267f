import { didYouMean } from "../../core/suggest.ts"
import {
  type ConditionalNode,
  type EncoderName,
  type SlotNode,
  type TemplateNode,
  type TemplateRole,
  withBranches,
} from "./ast.ts"
import { dedentParts, eatDirectiveLines, flattenParts, type Part, trimNodes } from "./branch-layout.ts"
import { closeExpression, maxDepth, type ParseState, takeMark, templateError, unexpected } from "./parse-state.ts"
import { createScanner, scanLiteral, scanName, scanPattern, skipBlank } from "./scanner.ts"

const encoders = ["lines", "inline", "tail", "fence", "indent", "transcript", "speaker"] as const satisfies readonly EncoderName[]

/** Parses a whole file, `depth` expressions deep in others. */
export function parseFileNodes(state: ParseState, depth: number): TemplateNode[] {
  return flattenParts(eatDirectiveLines(parseParts(state, "", depth)))
}

/** Parses up to a stop or to the end of the text. The stop is left to the caller. */
function parseParts(state: ParseState, stops: "" | "}" | ":}", depth: number): Part[] {
  const { scanner, file } = state
  const parts: Part[] = []
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

function parseExpression(state: ParseState, depth: number): Part {
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
function parseDirective(state: ParseState, { name, open, depth, source }: ExpressionHead): Part {
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
