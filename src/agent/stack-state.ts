import type { Injection } from "../core/value.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"

/** A stack's `session` items as plain JSON, for the session's state. */
export function stackState(stack: PromptStack): readonly Injection[] {
  return stack.items().filter(({ scope }) => scope === "session")
}

/** Puts session items from a stored state back; what the state does not hold as a list is ignored. */
export function restoreStack(stack: PromptStack, state: unknown): void {
  if (!Array.isArray(state)) return
  for (const injection of state as readonly Injection[]) if (!stack.get(injection.key)) stack.add(injection)
}
