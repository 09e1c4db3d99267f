/** A calculation on numbers; throws for wrong counts or kinds of arguments. */
type Calculation = (...args: number[]) => unknown

/** Everything an expression may name, by the names the parser gives it. */
export interface Arithmetic {
  parse(text: string): unknown
  readonly operators: ReadonlyMap<string, Calculation>
  readonly functions: ReadonlyMap<string, Calculation>
  readonly constants: ReadonlyMap<string, number>
}

/** What the parser calls the postfix operator of a percentage. */
export const percentOperator = "ctranspose"

/** A node of a parsed expression, of a kind still to be looked at. */
interface ExpressionNode {
  readonly type: string
  readonly value?: unknown
  readonly name?: string
  readonly fn?: unknown
  readonly args?: readonly ExpressionNode[]
  readonly content?: ExpressionNode
}

/**
 * The number an expression comes to; not finite where mathematics has no number for it. Only what `arithmetic` lists is
 * ever called: the parsed tree is walked here, and any other node, name or value throws a plain error saying which.
 */
export function evaluateExpression(text: string, arithmetic: Arithmetic): number {
  return numberOf(arithmetic.parse(text) as ExpressionNode, arithmetic)
}

function numberOf(node: ExpressionNode, arithmetic: Arithmetic): number {
  switch (node.type) {
    case "ConstantNode":
      return asNumber(node.value)
    case "ParenthesisNode":
      if (node.content) return numberOf(node.content, arithmetic)
      break
    case "SymbolNode":
      return listed(arithmetic.constants, node.name)
    case "OperatorNode":
      return call(listed(arithmetic.operators, node.fn), operands(node, arithmetic))
    case "FunctionNode":
      return call(listed(arithmetic.functions, calledName(node)), numbersOf(node, arithmetic))
  }
  throw new Error(node.type.replace(/Node$/, ""))
}

function call(calculation: Calculation, numbers: readonly number[]): number {
  return asNumber(calculation(...numbers))
}

function numbersOf(node: ExpressionNode, arithmetic: Arithmetic): number[] {
  return (node.args ?? []).map((arg) => numberOf(arg, arithmetic))
}

/** A percentage that is added or taken away is a share of what stands before it: `200 - 10%` is 180. */
function operands(node: ExpressionNode, arithmetic: Arithmetic): number[] {
  const [left = 0, right = 0, ...more] = numbersOf(node, arithmetic)
  const takesShare = (node.fn === "add" || node.fn === "subtract") && node.args?.[1]?.fn === percentOperator
  if (takesShare) return [left, left * right]
  return node.args?.length === 1 ? [left] : [left, right, ...more]
}

function calledName(node: ExpressionNode): unknown {
  const { fn } = node
  return typeof fn === "object" && fn !== null && "name" in fn ? fn.name : undefined
}

function listed<T>(known: ReadonlyMap<string, T>, name: unknown): T {
  const found = typeof name === "string" ? (known.get(name) ?? known.get(name.toLowerCase())) : undefined
  if (found === undefined) throw new Error(String(name))
  return found
}

function asNumber(value: unknown): number {
  if (typeof value !== "number") throw new Error(String(value))
  return value
}
