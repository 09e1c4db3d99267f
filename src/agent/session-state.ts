import type { SessionKey } from "../core/conversation.ts"
import type { Injection } from "../core/value.ts"
import type { SessionRecord } from "../services/store/session-store.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { SessionState } from "../turn/turn-context.ts"

/** Reads the agent's part of a record's state. A field that is missing or of another form counts as in a new session. */
export function sessionState(record: SessionRecord | undefined): SessionState {
  const { memoryOn, turns, hooks } = record?.state ?? {}
  const isCount = Number.isSafeInteger(turns) && (turns as number) >= 0
  const isRecord = typeof hooks === "object" && hooks !== null && !Array.isArray(hooks)
  return {
    memoryOn: memoryOn !== false,
    turns: isCount ? (turns as number) : 0,
    hooks: isRecord ? (hooks as Readonly<Record<string, unknown>>) : {},
  }
}

/** A stack's `session` items as plain JSON, for the session's state. */
export function stackState(stack: PromptStack): readonly Injection[] {
  const kept: Injection[] = []
  for (const item of stack.items()) if (item.scope === "session") kept.push(item)
  return kept
}

/** Adds the session items of a stored state to a stack. A state that is not a list is ignored. */
export function restoreStack(stack: PromptStack, state: unknown): void {
  if (!Array.isArray(state)) return
  for (const injection of state as readonly Injection[]) if (!stack.get(injection.key)) stack.add(injection)
}

/** A string that is different for each session. */
export function sessionId({ agent, conversation, audience }: SessionKey): string {
  return JSON.stringify([agent, conversation, audience])
}
