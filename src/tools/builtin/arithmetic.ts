import { lazyPattern } from "../../core/lazy-pattern.ts"

/** A calculation on numbers. Throws for a wrong number or kind of arguments. */
type Calculation = (...args: number[]) => unknown

/** Everything that an expression may use, by the parser's names. */
interface Arithmetic {
  parse(text: string): unknown
  readonly operators: ReadonlyMap<string, Calculation>
  readonly functions: ReadonlyMap<string, Calculation>
}

/** The parser's name of the postfix operator `'`, which stands for a percentage here. */
const percentOperator = "ctranspose"

/** A node of a parsed expression, of any type. */
interface ExpressionNode {
  readonly type: string
  readonly value?: unknown
  readonly name?: string
  readonly fn?: unknown
  readonly args?: readonly ExpressionNode[]
  readonly content?: ExpressionNode
}

/**
 * Returns the value of an expression, which is not finite when mathematics defines none. The parsed tree is walked here and
 * only the functions in `arithmetic` are called. Any other node, name or value throws a plain error that names it.
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
      return listed(constants, node.name)
    case "OperatorNode":
      return asNumber(listed(arithmetic.operators, node.fn)(...operands(node, arithmetic)))
    case "FunctionNode": {
      const name = typeof node.fn === "object" && node.fn !== null && "name" in node.fn ? node.fn.name : undefined
      return asNumber(listed(arithmetic.functions, name)(...numbersOf(node, arithmetic)))
    }
  }
  throw new Error(node.type.replace(/Node$/, ""))
}

function numbersOf(node: ExpressionNode, arithmetic: Arithmetic): number[] {
  return (node.args ?? []).map((arg) => numberOf(arg, arithmetic))
}

/** A percentage that is added or subtracted is a share of the left operand: `200 - 10%` is 180. */
function operands(node: ExpressionNode, arithmetic: Arithmetic): number[] {
  const [left = 0, right = 0, ...more] = numbersOf(node, arithmetic)
  const takesShare = (node.fn === "add" || node.fn === "subtract") && node.args?.[1]?.fn === percentOperator
  if (takesShare) return [left, left * right]
  return node.args?.length === 1 ? [left] : [left, right, ...more]
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

/** None of these can be made slow by its arguments. */
const functionNames = [
  ...["abs", "sign", "sqrt", "cbrt", "nthRoot", "pow", "exp", "log", "log2", "log10"],
  ...["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "hypot"],
  ...["round", "floor", "ceil", "fix", "mod", "gcd", "lcm", "factorial"],
  ...["min", "max", "sum", "mean", "median"],
] as const

const operatorNames = ["add", "subtract", "multiply", "divide", "pow", "factorial", "unaryMinus", "unaryPlus"] as const

const constants = new Map(Object.entries({ pi: Math.PI, π: Math.PI, e: Math.E, tau: 2 * Math.PI }))

/** The names that an expression may use, for the tool's texts. */
export const arithmeticNames = { functions: [...functionNames, "ln"], constants: ["pi", "e", "tau"] } as const

let loading: Promise<Arithmetic> | undefined

/** Loads the numbers-only part of mathjs on the first call, which takes about a third of a second. */
export function loadArithmetic(): Promise<Arithmetic> {
  loading ??= load()
  return loading
}

async function load(): Promise<Arithmetic> {
  const mathjs: Readonly<Record<string, unknown>> = await import("mathjs/number")
  const named = (name: string): [string, Calculation] => [name, mathjs[name] as Calculation]
  // In mathjs, a remainder by zero is the number itself.
  const mod: Calculation = (a = Number.NaN, b = Number.NaN) => (b === 0 ? Number.NaN : (mathjs.mod as Calculation)(a, b))
  return {
    parse: mathjs.parse as Arithmetic["parse"],
    operators: new Map([...operatorNames.map(named), ["mod", mod], [percentOperator, (x = Number.NaN) => x / 100]]),
    functions: new Map([...functionNames.map(named), ["mod", mod], ["ln", (x = Number.NaN) => Math.log(x)]]),
  }
}

const symbols = new Map([
  ...Object.entries({ "×": "*", "⋅": "*", "·": "*", "∙": "*", "÷": "/", "∕": "/", "−": "-", "–": "-" }),
  ...Object.entries({ "。": ".", "【": "(", "】": ")", "²": "^2", "³": "^3" }),
])

/** A `%` before the beginning of an operand. */
const remainder = lazyPattern(String.raw`%(?=\s*[\p{L}\p{N}.(])`, "gu")

/** The postfix operator that the parser reads as {@link percentOperator}. It has no meaning in what people write. */
const percentMark = "'"

/**
 * Rewrites an expression as people write it into the parser's form: full-width characters become narrow, `×`, `÷`, `−`, `²`
 * and `**` become operators, and a final `=` is removed. A `%` before a number, a name or `(` is a remainder, any other one a
 * percentage. Other compatibility characters (½, ①) stay, since they could turn into a wrong number. Throws for a
 * {@link percentMark} in the text.
 */
export function normaliseExpression(text: string): string {
  const expression = text
    .replaceAll(/[\uff01-\uff5e\u3000]/g, (wide) => wide.normalize("NFKC"))
    .replaceAll(/[^\0-\x7f]/g, (character) => symbols.get(character) ?? character)
    .replaceAll("**", "^")
    .trim()
    .replace(/=\s?\??$/, "")
    .trim()
  if (expression.includes(percentMark)) throw new Error(percentMark)
  // The parser would try both readings of each %, which takes exponential time where they are nested.
  return expression.replaceAll(remainder(), " mod ").replaceAll("%", percentMark)
}
