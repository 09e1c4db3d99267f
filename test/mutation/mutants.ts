import { createHash } from "node:crypto"
import { parseSync } from "rolldown/utils"

/** A small change of a source file that a test should find. Offsets are in UTF-16 units. */
export interface Mutant {
  /** Stays the same while the line and its mutation stay, also if the file changes elsewhere. */
  readonly id: string
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  /** The text that takes the place of what stands from `start` to `end`. */
  readonly text: string
  /** The whole expression or statement around the change. */
  readonly site: Site
  /** True if the code runs when the module loads: only a fresh module shows the change. */
  readonly isStatic: boolean
}

export interface Site {
  readonly kind: "expression" | "statement"
  readonly start: number
  readonly end: number
  /** The text of the whole place after the change. */
  readonly text: string
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

/** Adds a change of `start` to `end`; the site is the same range if none is given. */
type Add = (start: number, end: number, text: string, site?: Site) => void

const operators: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
}

/** Every mutant of a source file, in order: operators, conditions, constants, returns and statements. */
export function mutantsOf(file: string, code: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, code)
  if (errors[0]) throw new Error(`expected TypeScript in ${file}: ${errors[0].message}`)
  const lines = code.split("\n")
  const mutants: Omit<Mutant, "id">[] = []
  visit(program as unknown as SyntaxNode, false, (node, isStatic) =>
    mutate(node, code, (start, end, text, site = { kind: "expression", start, end, text }) => {
      mutants.push({ file, line: code.slice(0, start).split("\n").length, start, end, text, site, isStatic })
    }),
  )
  const seen = new Map<string, number>()
  return mutants
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((mutant) => {
      const { line, start, end, text } = mutant
      const named = [file, lines[line - 1]?.trim(), code.slice(start, end), text].join("\n")
      const earlier = seen.get(named) ?? 0
      seen.set(named, earlier + 1)
      return { id: createHash("sha256").update(`${named}\n${earlier}`).digest("hex").slice(0, 12), ...mutant }
    })
}

/** The source with the mutant's change. */
export function applied(code: string, { start, end, text }: Mutant): string {
  return code.slice(0, start) + text + code.slice(end)
}

function mutate(node: SyntaxNode, code: string, add: Add): void {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      mutateOperator(node, code, add)
      break
    case "UnaryExpression": {
      if (node.operator !== "!") break
      const { start, end } = node
      add(start, start + 1, "", { kind: "expression", start, end, text: code.slice(start + 1, end) })
      break
    }
    case "IfStatement":
    case "ConditionalExpression": {
      const { start, end } = node.test as SyntaxNode
      add(start, end, "true")
      add(start, end, "false")
      break
    }
    case "ReturnStatement": {
      const argument = node.argument as SyntaxNode | null
      if (argument !== null && argument.name !== "undefined") add(argument.start, argument.end, "undefined as never")
      break
    }
    case "ExpressionStatement": {
      const { start, end } = node
      if (typeof node.directive !== "string") add(start, end, ";", { kind: "statement", start, end, text: "" })
      break
    }
    case "Literal":
      mutateLiteral(node, add)
  }
}

function mutateOperator(node: SyntaxNode, code: string, add: Add): void {
  const [left, right] = [node.left as SyntaxNode, node.right as SyntaxNode]
  const operator = String(node.operator)
  const other = operators[operator]
  if (other === undefined || (operator === "+" && (isText(left) || isText(right)))) return
  const { start, end } = node
  const at = code.indexOf(operator, left.end)
  const text = `(${code.slice(start, at)}) ${other} (${code.slice(at + operator.length, end)})`
  add(at, at + operator.length, other, { kind: "expression", start, end, text })
}

function mutateLiteral({ value, start, end }: SyntaxNode, add: Add): void {
  if (typeof value === "boolean") add(start, end, String(!value))
  if (typeof value === "number") add(start, end, `(${value + 1})`)
  if (typeof value === "string" && value !== "") add(start, end, '""')
}

function isText({ type, value }: SyntaxNode): boolean {
  return type === "TemplateLiteral" || typeof value === "string"
}

const typeWrappers = ["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]
const functions = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]

/** Visits all code of a tree: no types, no imports, no names of properties. */
function visit(node: SyntaxNode, inFunction: boolean, see: (node: SyntaxNode, isStatic: boolean) => void): void {
  if (node.type.startsWith("TS") && !typeWrappers.includes(node.type)) return
  if (node.type === "ImportDeclaration" || node.type === "ImportExpression") return
  if (node.type.startsWith("Export") && node.source) return
  see(node, !inFunction)
  const within = inFunction || functions.includes(node.type)
  for (const [name, member] of Object.entries(node)) {
    if (name === "key" && node.computed !== true) continue
    for (const inner of Array.isArray(member) ? member : [member]) if (isNode(inner)) visit(inner, within, see)
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value
}
