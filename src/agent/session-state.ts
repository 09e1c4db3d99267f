import type { SessionKey, Speaker } from "../core/conversation.ts"
import type { Injection } from "../core/value.ts"
import type { Profile } from "../profile/profile.ts"
import type { SessionRecord } from "../services/store/session-store.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { SessionState } from "../turn/turn-context.ts"

/** Reads the agent's part of a record's state. A field that is missing or of another form counts as in a new session. */
export function sessionState(record: SessionRecord | undefined): SessionState {
  const { memoryOn, memorySinceMs, turns, hooks, markerId } = record?.state ?? {}
  const isCount = Number.isSafeInteger(turns) && (turns as number) >= 0
  const isRecord = typeof hooks === "object" && hooks !== null && !Array.isArray(hooks)
  return {
    memoryOn: memoryOn !== false,
    memorySinceMs: typeof memorySinceMs === "number" ? memorySinceMs : undefined,
    turns: isCount ? (turns as number) : 0,
    hooks: isRecord ? (hooks as Readonly<Record<string, unknown>>) : {},
    markerId: typeof markerId === "string" && /^[0-9a-z]+$/.test(markerId) ? markerId : undefined,
  }
}

/**
 * Adds the session items of a stored state to a stack, apart from those that were added again meanwhile. A turn item of the same key
 * stays in their place until it ends. A state that is not a list is ignored.
 */
export function restoreStack(stack: PromptStack, state: unknown): void {
  if (!Array.isArray(state)) return
  const known = new Set<string>()
  for (const { key } of stack.items("session")) known.add(key)
  for (const injection of state as readonly Injection[]) {
    if (known.has(injection.key)) continue
    const shown = stack.get(injection.key)
    stack.add(injection)
    if (shown?.scope === "turn") stack.add(shown)
  }
}

/** A string that is different for each session. */
export function sessionId({ agent, conversation, audience }: SessionKey): string {
  return JSON.stringify([agent, conversation, audience])
}

/** The speaker of a turn in which nobody spoke. In a group it is the agent, so that no person's memories are seen. */
export function wokenFor(key: SessionKey, { agent }: Profile, record: SessionRecord | undefined): Speaker | undefined {
  if (key.audience === "group") return { id: agent.id, name: agent.name }
  return record?.history.findLast(({ role }) => role === "user")?.speaker
}
