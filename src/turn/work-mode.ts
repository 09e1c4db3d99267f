import { isEmptyValue } from "../core/value.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"

/** True where the agent is at work (R4): the variable `work_mode` is set, by the profile or for this turn. */
export function isAtWork(stack: PromptStack): boolean {
  const item = stack.get("work_mode")
  return item?.enabled === true && !isEmptyValue(item.content)
}
