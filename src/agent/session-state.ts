import type { SessionKey } from "../core/conversation.ts"
import type { Injection } from "../core/value.ts"
import type { SessionRecord } from "../services/store/session-store.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { SessionState } from "../turn/turn-context.ts"

/** Reads the agent's part of a record's state. A field that is missing or of another form counts as in a new session. */
export function sessionState(record: SessionRecord | undefined): SessionState {
  const { memoryOn, turns, hooks } = record?.state ?? {}
  return { memoryOn: memoryOn !== false, turns: isCount(turns) ? turns : 0, hooks: isRecord(hooks) ? hooks : {} }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A stack's `session` items as plain JSON, for the session's state. */
export function stackState(stack: PromptStack): readonly Injection[] {
  return stack.items().filter(({ scope }) => scope === "session")
}

/** Puts session items from a stored state back; a state that is no list is ignored. */
export function restoreStack(stack: PromptStack, state: unknown): void {
  if (!Array.isArray(state)) return
  for (const injection of state as readonly Injection[]) if (!stack.get(injection.key)) stack.add(injection)
}

/** One string for one session. */
export function sessionId({ agent, conversation, audience }: SessionKey): string {
  return JSON.stringify([agent, conversation, audience])
}
