import { messageOf } from "../../../core/errors.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"
import { shippedPrompts } from "../../dialect/shipped-files.ts"
import type { TemplateValues } from "../../template/render.ts"
import { defineTool } from "../define-tool.ts"
import type { Tool } from "../tool.ts"
import { textArguments } from "../tool-schema.ts"
import { type ToolWords, toolWords } from "../tool-words.ts"
import { arithmeticConstants, arithmeticFunctions, arithmeticNames, factorial, remainder } from "./arithmetic.ts"

/**
 * Returns the value of an expression as people write it, which is not finite when mathematics defines none. Full-width
 * characters count as narrow ones, `×`, `÷`, `−`, `²` and `**` as operators, and a final `=` is left out. Nothing but the names
 * in `arithmetic.ts` is looked up. Throws a plain error that quotes the characters that are no arithmetic.
 */
export function evaluateExpression(text: string): number {
  return new ExpressionReader(normaliseExpression(text)).read()
}

const symbols = new Map([
  ...Object.entries({ "×": "*", "⋅": "*", "·": "*", "∙": "*", "÷": "/", "∕": "/", "−": "-", "–": "-" }),
  ...Object.entries({ "。": ".", "【": "(", "】": ")", "²": "^2", "³": "^3" }),
])

/** Other compatibility characters (½, ①) stay, since they could turn into a wrong number. */
function normaliseExpression(text: string): string {
  return text
    .replaceAll(/[\uff01-\uff5e\u3000]/g, (wide) => wide.normalize("NFKC"))
    .replaceAll(/[^\0-\x7f]/g, (character) => symbols.get(character) ?? character)
    .replaceAll("**", "^")
    .trim()
    .replace(/=\s?\??$/, "")
    .trim()
}

/** A part's value, and true where the part is a percentage and nothing else. */
interface Operand {
  readonly value: number
  readonly isPercentage?: boolean
}

/** Deeper parentheses are no arithmetic, and each takes room on the stack. */
const maxDepth = 256

const numberPattern = /(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy
const namePattern = lazyPattern(String.raw`[\p{L}_][\p{L}\p{N}_]*`, "uy")
const blankPattern = /\s*/y
const remainderPattern = lazyPattern(String.raw`%\s*[\p{L}\p{N}.(]`, "uy")

/** Reads an expression from left to right and calculates on the way. Each method reads one precedence. */
class ExpressionReader {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): number {
    const { value } = this.#sum()
    if (this.#next() !== "") throw this.#unreadable(this.#at)
    return value
  }

  /** A percentage that is added or subtracted is a share of the left operand: `200 - 10%` is 180. */
  #sum(): Operand {
    let left = this.#product()
    while (this.#next() === "+" || this.#next() === "-") {
      const sign = this.#next() === "+" ? 1 : -1
      this.#at++
      const { value, isPercentage } = this.#product()
      left = { value: left.value + sign * (isPercentage ? left.value * value : value) }
    }
    return left
  }

  /** Before a name or `(` a product needs no sign: `2 pi`. After a division that has two readings, so it is refused. */
  #product(): Operand {
    let left = this.#signed()
    let isDivided = false
    for (;;) {
      const start = this.#at
      const operator = this.#takeOperator()
      if (operator === "end") return left
      if (operator === "none" && isDivided) throw this.#unreadable(start)
      isDivided = operator === "/" || operator === "mod"
      const { value } = this.#signed()
      if (operator === "mod") left = { value: remainder(left.value, value) }
      else left = { value: operator === "/" ? left.value / value : left.value * value }
    }
  }

  #takeOperator(): "*" | "/" | "mod" | "none" | "end" {
    const next = this.#next()
    const start = this.#at
    if (next === "*" || next === "/" || next === "%") {
      this.#at++
      return next === "%" ? "mod" : next
    }
    const name = this.#match(namePattern()).toLowerCase()
    if (name === "mod") return "mod"
    this.#at = start
    return name !== "" || next === "(" ? "none" : "end"
  }

  /** A sign binds weaker than a power: `-2^2` is −4. */
  #signed(): Operand {
    const start = this.#at
    let sign = 1
    while (this.#next() === "+" || this.#next() === "-") {
      if (this.#next() === "-") sign = -sign
      this.#at++
    }
    const hasSign = this.#text.slice(start, this.#at).trim() !== ""
    const power = this.#power()
    return hasSign ? { value: sign * power.value } : power
  }

  /** Powers are read from the right: `2^3^2` is 2^9. */
  #power(): Operand {
    const base = this.#postfixed()
    if (this.#next() !== "^") return base
    this.#at++
    return { value: base.value ** this.#signed().value }
  }

  /** A `%` before a number, a name or `(` is a remainder, any other one a percentage. */
  #postfixed(): Operand {
    let operand: Operand = { value: this.#primary() }
    for (;;) {
      const mark = this.#next()
      if (mark === "!") operand = { value: factorial(operand.value) }
      else if (mark === "%" && !this.#isAt(remainderPattern())) operand = { value: operand.value / 100, isPercentage: true }
      else return operand
      this.#at++
    }
  }

  #primary(): number {
    if (this.#next() === "(") return this.#parenthesised(1, 1)[0] ?? Number.NaN
    const digits = this.#match(numberPattern)
    if (digits !== "") return Number(digits)
    const start = this.#at
    const name = this.#match(namePattern()).toLowerCase()
    const constant = arithmeticConstants.get(name)
    if (constant !== undefined) return constant
    const known = arithmeticFunctions.get(name)
    if (known === undefined || this.#next() !== "(") throw this.#unreadable(start)
    return known.calculate(...this.#parenthesised(known.fewestArguments, known.mostArguments, start))
  }

  /** Takes the values from `(` to `)`. Throws when there are fewer or more of them. */
  #parenthesised(fewest: number, most: number, start = this.#at): number[] {
    if (++this.#depth > maxDepth) throw this.#unreadable(start)
    const values: number[] = []
    do {
      this.#at++
      if (values.length > 0 || this.#next() !== ")") values.push(this.#sum().value)
    } while (this.#next() === ",")
    if (this.#next() !== ")") throw this.#unreadable(this.#at)
    this.#at++
    this.#depth--
    if (values.length < fewest || values.length > most) throw this.#unreadable(start)
    return values
  }

  /** The next character that is not white space, or `""` at the end. It is not taken. */
  #next(): string {
    this.#match(blankPattern)
    return this.#text.charAt(this.#at)
  }

  #isAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    return pattern.test(this.#text)
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ""
    this.#at += found.length
    return found
  }

  #unreadable(start: number): Error {
    const rest = this.#text.slice(start).trim()
    return new Error(rest === "" ? `${JSON.stringify(this.#text.slice(-20))} …` : JSON.stringify(rest.slice(0, 20)))
  }
}

/** Options of {@link calculateTool}. */
interface CalculateOptions {
  /** The language of the tool's texts, such as `zh-CN`. */
  readonly locale: string
  /** The tool's texts. Default: the shipped ones. */
  readonly words?: ToolWords | undefined
}

const maxExpressionCharacters = 1_000

const names = { functions: arithmeticNames.functions.join(", "), constants: arithmeticNames.constants.join(", ") }

/**
 * Makes the tool `calculate`, which evaluates a real-number expression of at most 1,000 characters (`17×23` → `391`). No part
 * of an expression is run as code. An unreadable expression or a value that is not finite throws `tool-arguments`.
 */
export function calculateTool({
  locale,
  words = toolWords(shippedPrompts("tools", locale), locale, "calculate"),
}: CalculateOptions): Tool {
  const { description, usageHint, parameters, say } = words
  const unusable = (values: TemplateValues) => words.refuse({ ...names, ...values })
  return defineTool({
    name: "calculate",
    description,
    usageHint,
    inputSchema: textArguments({ expression: { description: parameters.expression } }),
    execute({ expression }) {
      if (expression.length > maxExpressionCharacters) throw unusable({ too_long: maxExpressionCharacters })
      let value: number
      try {
        value = evaluateExpression(expression)
      } catch (thrown) {
        throw unusable({ unreadable: messageOf(thrown) })
      }
      if (!Number.isFinite(value)) throw unusable({ not_finite: true })
      return say({ ...names, value: printNumber(value) })
    },
  })
}

const significantDigits = 14

/**
 * Prints whole numbers exactly and others with 14 significant digits, so that `0.1 + 0.2` is `0.3`. A number beyond the safe
 * integers prints as `1.2e+25`, which shows that digits are missing.
 */
function printNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  if (Math.abs(value) < Number.MAX_SAFE_INTEGER) return String(Number(value.toPrecision(significantDigits)))
  const [mantissa = "", exponent = ""] = value.toExponential(significantDigits - 1).split("e")
  return `${Number(mantissa)}e${exponent}`
}
