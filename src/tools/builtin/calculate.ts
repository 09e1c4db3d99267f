import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { shippedPrompts } from "../../dialect/shipped.ts"
import { renderTemplate, type TemplateValues } from "../../template/render.ts"
import { defineTool } from "../define-tool.ts"
import type { Tool } from "../tool.ts"
import { type ToolWords, toolWords } from "../tool-words.ts"
import { evaluateExpression } from "./evaluate-expression.ts"
import { arithmeticNames, loadArithmetic } from "./load-arithmetic.ts"
import { normaliseExpression } from "./normalise-expression.ts"
import { printNumber } from "./print-number.ts"
import { textArguments } from "./text-arguments.ts"

/** Settings of {@link calculateTool}. */
export interface CalculateOptions {
  /** The language of the tool's texts, such as `zh-CN`. */
  readonly locale: string
  /** Other words than the shipped ones. */
  readonly words?: ToolWords
}

const maxExpressionCharacters = 1_000

const names = { functions: arithmeticNames.functions.join(", "), constants: arithmeticNames.constants.join(", ") }

/**
 * The tool `calculate`: a real-number expression of at most 1,000 characters to its value (`17×23` → `391`). Nothing in an
 * expression is ever run as code; what cannot be read or has no finite value is an error the model can act on.
 */
export function calculateTool({ locale, words: given }: CalculateOptions): Tool {
  const words = given ?? toolWords(shippedPrompts(), locale, "calculate")
  const { description, usageHint, parameters, answer } = words
  const say = (values: TemplateValues): string => renderTemplate(answer, { ...names, ...values })
  return defineTool({
    name: "calculate",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    inputSchema: textArguments({ expression: { description: parameters.expression } }),
    async execute({ expression }) {
      if (expression.length > maxExpressionCharacters) throw unusable(say({ too_long: maxExpressionCharacters }))
      const arithmetic = await loadArithmetic()
      let value: number
      try {
        value = evaluateExpression(normaliseExpression(expression), arithmetic)
      } catch (thrown) {
        throw unusable(say({ unreadable: messageOf(thrown) }))
      }
      if (!Number.isFinite(value)) throw unusable(say({ not_finite: true }))
      return say({ value: printNumber(value) })
    },
  })
}

function unusable(message: string): PromptStrataError {
  return new PromptStrataError("tool-arguments", message)
}
