type Calculation = (...numbers: number[]) => number

/** A function that an expression may call. None can be made slow by its arguments. */
export interface ArithmeticFunction {
  readonly calculate: Calculation
  readonly fewestArguments: number
  readonly mostArguments: number
}

const one = [1, 1] as const
const oneOrTwo = [1, 2] as const
const two = [2, 2] as const
const oneOrMore = [1, Number.POSITIVE_INFINITY] as const
const twoOrMore = [2, Number.POSITIVE_INFINITY] as const

const functions: readonly (readonly [name: string, counts: readonly [number, number], calculate: Calculation])[] = [
  ...(["abs", "sign", "sqrt", "cbrt"] as const).map((name) => [name, one, Math[name]] as const),
  ["nthRoot", oneOrTwo, nthRoot],
  ["pow", two, Math.pow],
  ["exp", one, Math.exp],
  ["log", oneOrTwo, (x = Number.NaN, base = Math.E) => Math.log(x) / (base > 0 ? Math.log(base) : Number.NaN)],
  ...(["log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan"] as const).map((name) => [name, one, Math[name]] as const),
  ["atan2", two, Math.atan2],
  ...(["sinh", "cosh", "tanh"] as const).map((name) => [name, one, Math[name]] as const),
  ["hypot", oneOrMore, Math.hypot],
  ["round", oneOrTwo, atDigits((x) => Math.sign(x) * Math.round(Math.abs(x)))],
  ["floor", oneOrTwo, atDigits(Math.floor)],
  ["ceil", oneOrTwo, atDigits(Math.ceil)],
  ["fix", oneOrTwo, atDigits(Math.trunc)],
  ["mod", two, remainder],
  ["gcd", twoOrMore, (...numbers) => Math.abs(numbers.reduce(commonDivisor))],
  ["lcm", twoOrMore, (...numbers) => Math.abs(numbers.reduce(commonMultiple))],
  ["factorial", one, factorial],
  ["min", oneOrMore, Math.min],
  ["max", oneOrMore, Math.max],
  ["sum", oneOrMore, sum],
  ["mean", oneOrMore, (...numbers) => sum(...numbers) / numbers.length],
  ["median", oneOrMore, median],
  ["ln", one, Math.log],
]

/** By the name in lower case, as all names are read. */
export const arithmeticFunctions: ReadonlyMap<string, ArithmeticFunction> = new Map(
  functions.map(([name, [fewestArguments, mostArguments], calculate]) => [
    name.toLowerCase(),
    { calculate, fewestArguments, mostArguments },
  ]),
)

export const arithmeticConstants: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["π", Math.PI],
  ["e", Math.E],
  ["tau", 2 * Math.PI],
])

/** The names that an expression may use, for the tool's texts. */
export const arithmeticNames = { functions: functions.map(([name]) => name), constants: ["pi", "e", "tau"] } as const

/** The remainder has the divisor's sign: `-7 mod 3` is 2. By zero there is none. */
export function remainder(x = Number.NaN, divisor = Number.NaN): number {
  return divisor === 0 ? Number.NaN : x - divisor * Math.floor(x / divisor)
}

/** Defined for whole numbers. The one of 171 is beyond every number. */
export function factorial(x = Number.NaN): number {
  if (!Number.isInteger(x) || x < 0) return Number.NaN
  if (x > 170) return Number.POSITIVE_INFINITY
  let product = 1
  for (let factor = 2; factor <= x; factor++) product *= factor
  return product
}

function nthRoot(x = Number.NaN, n = 2): number {
  const isOdd = Math.abs(n % 2) === 1
  return x < 0 && isOdd ? -((-x) ** (1 / n)) : x ** (1 / n)
}

const mostDigits = 15

/** Rounds at a decimal digit of the printed number, so that `round(2.345, 2)` is 2.35. */
function atDigits(round: (x: number) => number): Calculation {
  return (x = Number.NaN, digits = 0) => {
    if (!Number.isInteger(digits) || digits < 0 || digits > mostDigits) return Number.NaN
    return shifted(round(shifted(x, digits)), -digits)
  }
}

/** `x` times a power of ten, without the error of a product. */
function shifted(x: number, places: number): number {
  const [mantissa, exponent = 0] = String(x).split("e")
  return Number(`${mantissa}e${Number(exponent) + places}`)
}

function commonDivisor(a: number, b: number): number {
  if (!Number.isInteger(a) || !Number.isInteger(b)) return Number.NaN
  return b === 0 ? a : commonDivisor(b, a % b)
}

function commonMultiple(a: number, b: number): number {
  const divisor = commonDivisor(a, b)
  return divisor === 0 ? 0 : (a / divisor) * b
}

function sum(...numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

function median(...numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}
