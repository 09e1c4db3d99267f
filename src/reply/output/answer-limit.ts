import { checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"

/** Bounds of an answer's words. */
export interface AnswerLimit {
  /** Texts of which the first that the model has written ends the answer, which it is no part of. */
  readonly stop?: readonly string[] | undefined
  /** The most tokens of the answer, by the profile's counter. Thoughts and calls of tools are not counted. */
  readonly maxTokens?: number | undefined
  /** The text that the answer goes on with. The model is told, and if the answer begins with words of its end again, these are left out. */
  readonly behind?: string | undefined
}

/** Throws `usage` for a limit that is none. */
export function checkAnswerLimit(of: string, given: AnswerLimit): void {
  checkType(`\`answerLimit\` of ${of}`, given, "object")
  const { stop = [], maxTokens = 1, behind = "" } = given
  const where = `of \`answerLimit\` of ${of}`
  checkType(`\`stop\` ${where}`, stop, "list")
  checkType(`\`behind\` ${where}`, behind, "string")
  for (const text of stop) checkType(`a stop ${where}`, text, "string")
  if (Number.isInteger(maxTokens) && maxTokens >= 1) return
  throw new PromptStrataError("usage", `expected \`maxTokens\` ${where} as a whole number from 1, found ${String(maxTokens)}.`)
}
