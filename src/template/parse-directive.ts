import { didYouMean } from "../core/suggest.ts"
import type { TemplateRole } from "./ast.ts"
import { closeExpression, takeMark, unexpected } from "./closing.ts"
import { scanName } from "./name.ts"
import { type ParseState, templateError } from "./parse-state.ts"
import type { Part } from "./part.ts"
import { createScanner, scanPattern } from "./scanner.ts"

const roles = ["system", "developer", "user", "assistant"] as const satisfies readonly TemplateRole[]

/** Every directive and what stands between its parentheses. */
const argumentOf = { file_load: "a path", messages: "the name of a list", role: `a role (${roles.join(", ")})` } as const

type Directive = keyof typeof argumentOf

/** `${name(…` up to the opening parenthesis: where its `${` stands and how deep it is nested. */
export interface DirectiveHead {
  readonly name: string
  readonly open: number
  readonly depth: number
  readonly source: { readonly file: string; readonly line: number; readonly column: number }
}

/** What stands between the parentheses, and where it begins. */
interface Argument {
  readonly text: string
  readonly at: number
}

/** Parses the rest of `${role(…)}`, `${messages(…)}` or `${file_load(…)}`. */
export function parseDirective(state: ParseState, { name, open, depth, source }: DirectiveHead): Part {
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
