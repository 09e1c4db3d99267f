import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { shippedPrompts } from "../../dialect/shipped-files.ts"
import type { TemplateValues } from "../../template/render.ts"
import { renderTemplate } from "../../template/render-template.ts"
import { defineTool } from "../define-tool.ts"
import type { Tool } from "../tool.ts"
import { textArguments } from "../tool-schema.ts"
import { type ToolWords, toolWords } from "../tool-words.ts"
import { arithmeticNames } from "./arithmetic.ts"
import { evaluateExpression } from "./evaluate-expression.ts"

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
  const { description, usageHint, parameters, answer } = words
  const say = (values: TemplateValues): string => renderTemplate(answer, { ...names, ...values })
  const unusable = (values: TemplateValues) => new PromptStrataError("tool-arguments", say(values))
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
      return say({ value: printNumber(value) })
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
