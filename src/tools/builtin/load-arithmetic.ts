import { type Arithmetic, percentOperator } from "./evaluate-expression.ts"

/** None of these can be made to run long: no loops over their arguments' size, no combinatorics. */
const functionNames = [
  ...["abs", "sign", "sqrt", "cbrt", "nthRoot", "pow", "exp", "log", "log2", "log10"],
  ...["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "hypot"],
  ...["round", "floor", "ceil", "fix", "mod", "gcd", "lcm", "factorial"],
  ...["min", "max", "sum", "mean", "median"],
] as const

const operatorNames = ["add", "subtract", "multiply", "divide", "pow", "factorial", "unaryMinus", "unaryPlus"] as const

const constants: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["π", Math.PI],
  ["e", Math.E],
  ["tau", 2 * Math.PI],
])

/** The names an expression may use, for the tool's words. */
export const arithmeticNames = { functions: [...functionNames, "ln"], constants: ["pi", "e", "tau"] } as const

let loading: Promise<Arithmetic> | undefined

/** The numbers-only part of mathjs, imported when first asked for (about a third of a second of work). */
export function loadArithmetic(): Promise<Arithmetic> {
  loading ??= load()
  return loading
}

type Calculation = (...args: number[]) => unknown

async function load(): Promise<Arithmetic> {
  const mathjs: Readonly<Record<string, unknown>> = await import("mathjs/number")
  const named = (name: string): [string, Calculation] => [name, mathjs[name] as Calculation]
  // mathjs says that a remainder by zero is the number itself.
  const mod: Calculation = (a = Number.NaN, b = Number.NaN) => (b === 0 ? Number.NaN : (mathjs.mod as Calculation)(a, b))
  return {
    parse: mathjs.parse as Arithmetic["parse"],
    operators: new Map([...operatorNames.map(named), ["mod", mod], [percentOperator, (x = Number.NaN) => x / 100]]),
    functions: new Map([...functionNames.map(named), ["mod", mod], ["ln", (x = Number.NaN) => Math.log(x)]]),
    constants,
  }
}
