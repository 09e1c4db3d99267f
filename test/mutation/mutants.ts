import { createHash } from "node:crypto"
import { parseSync } from "rolldown/utils"

/** A small change of a source file that a test should find. Offsets are in UTF-16 units. */
export interface Mutant {
  /** Stays the same until the file changes. */
  readonly id: string
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  /** The text that takes the place of what stands from `start` to `end`. */
  readonly text: string
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

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
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 12)
  const mutants: Mutant[] = []
  const add = (start: number, end: number, text: string): void => {
    const line = code.slice(0, start).split("\n").length
    mutants.push({ id: `${hash}:${start}:${end}:${text}`, file, line, start, end, text })
  }
  visit(program as unknown as SyntaxNode, (node) => mutate(node, code, add))
  return mutants.sort((a, b) => a.start - b.start || a.end - b.end)
}

function mutate(node: SyntaxNode, code: string, add: (start: number, end: number, text: string) => void): void {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression": {
      const [left, right] = [node.left as SyntaxNode, node.right as SyntaxNode]
      const other = operators[String(node.operator)]
      if (other === undefined || (node.operator === "+" && (isText(left) || isText(right)))) return
      const at = code.indexOf(String(node.operator), left.end)
      add(at, at + String(node.operator).length, other)
      break
    }
    case "UnaryExpression":
      if (node.operator === "!") add(node.start, node.start + 1, "")
      break
    case "IfStatement":
    case "ConditionalExpression": {
      const { start, end } = node.test as SyntaxNode
      add(start, end, "true")
      add(start, end, "false")
      break
    }
    case "ReturnStatement": {
      const argument = node.argument as SyntaxNode | null
      if (argument !== null) add(argument.start, argument.end, "undefined as never")
      break
    }
    case "ExpressionStatement":
      if (typeof node.directive !== "string") add(node.start, node.end, ";")
      break
    case "Literal":
      mutateLiteral(node, add)
  }
}

function mutateLiteral({ value, start, end }: SyntaxNode, add: (start: number, end: number, text: string) => void): void {
  if (typeof value === "boolean") add(start, end, String(!value))
  if (typeof value === "number") add(start, end, `(${value + 1})`)
  if (typeof value === "string" && value !== "") add(start, end, '""')
}

function isText({ type, value }: SyntaxNode): boolean {
  return type === "TemplateLiteral" || typeof value === "string"
}

const typeWrappers = ["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]

/** Visits all code of a tree: no types, no imports, no names of properties. */
function visit(node: SyntaxNode, see: (node: SyntaxNode) => void): void {
  if (node.type.startsWith("TS") && !typeWrappers.includes(node.type)) return
  if (node.type === "ImportDeclaration" || (node.type.startsWith("Export") && node.source)) return
  see(node)
  for (const [name, member] of Object.entries(node)) {
    if (name === "key" && node.computed !== true) continue
    for (const inner of Array.isArray(member) ? member : [member]) if (isNode(inner)) visit(inner, see)
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value
}
