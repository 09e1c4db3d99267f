import { didYouMean } from "../core/suggest.ts"
import type { ConditionalNode, EncoderName, SlotNode, TemplateNode } from "./ast.ts"
import { closeExpression, takeMark, unexpected } from "./closing.ts"
import { dedentParts } from "./dedent.ts"
import { eatDirectiveLines } from "./directive-lines.ts"
import { withBranches } from "./map-branches.ts"
import { scanName } from "./name.ts"
import { type DirectiveHead, parseDirective } from "./parse-directive.ts"
import { maxDepth, type ParseState, templateError } from "./parse-state.ts"
import { flattenParts, type Part } from "./part.ts"
import { scanLiteral, skipBlank } from "./scanner.ts"
import { trimNodes } from "./trim.ts"

const encoders = ["lines", "inline", "fence", "indent", "transcript", "speaker"] as const satisfies readonly EncoderName[]

/** Parses a whole file, `depth` expressions deep in others. */
export function parseFileNodes(state: ParseState, depth: number): TemplateNode[] {
  return flattenParts(eatDirectiveLines(parseParts(state, "", depth)))
}

/** Parses up to a stop, which is left to the caller, or to the end of the text. */
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

/** A branch or a placeholder: dedented and trimmed. */
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

function parseHead(state: ParseState, depth: number): DirectiveHead {
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

function parseSlot(state: ParseState, { open, name, depth, source }: DirectiveHead): SlotNode {
  const { scanner } = state
  const encoder = takeMark(scanner, "|") ? parseEncoder(state, open) : undefined
  const placeholder = takeMark(scanner, "=") ? parseBranch(state, "}", depth) : undefined
  closeExpression(state, open, placeholder ? "}" : encoder ? "} or =" : `}, |, = or ? after the name ${name}`)
  return {
    type: "slot",
    name,
    ...(encoder ? { encoder } : {}),
    ...(placeholder ? { placeholder } : {}),
    alone: false,
    source,
  }
}

function parseConditional(state: ParseState, { open, name, depth, source }: DirectiveHead): ConditionalNode {
  takeMark(state.scanner, "?")
  const whenHeld = parseBranch(state, ":}", depth)
  const otherwise = takeMark(state.scanner, ":") ? parseBranch(state, "}", depth) : []
  closeExpression(state, open, "}")
  return withBranches({ type: "conditional", name, alone: false, source }, { whenHeld, otherwise })
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
