import type { SessionKey } from "../../../core/conversation.ts"
import type { ForgottenScope } from "../../../memory/services/store/forgetting.ts"
import type { TurnTrace } from "../../../trace/trace.ts"
import type { NotedChanges } from "./timeline/context-changes.ts"

/** The facts about a recorded turn that tell whose words may stand in it. */
export interface HeldWords {
  /** The name of the record. */
  readonly id: string
  readonly session: SessionKey
  /** The id of its speaker. */
  readonly user: string
  /** True if text of a memory stands in its requests, or may stand there. */
  readonly hasMemory: boolean
}

/** True if the store still has a session. */
export type IsStored = (session: SessionKey) => Promise<boolean>

/**
 * The ids of recorded turns that may hold words of a scope that was forgotten. A request shows words of others, and nobody can tell whose:
 * so every turn of a group goes with a user, every turn that shows memories with a conversation or with memories, and every turn of a session that the
 * store no longer has.
 */
export async function mayHold(all: readonly HeldWords[], scope: ForgottenScope, isStored: IsStored): Promise<Set<string>> {
  const own = all.filter(({ session }) => session.agent === scope.agent)
  const spoken = new Set(own.flatMap(({ user, session }) => ("user" in scope && user === scope.user ? nameOf(session) : [])))
  const stored = new Map<string, Promise<boolean>>()
  const held = await Promise.all(
    own.map(async ({ id, session, hasMemory }) => {
      if ("conversation" in scope && (session.conversation === scope.conversation || hasMemory)) return id
      if ("user" in scope && (session.audience === "group" || spoken.has(nameOf(session))))
        return "memories" in scope && !hasMemory ? [] : id
      const name = nameOf(session)
      if (!stored.has(name)) stored.set(name, isStored(session))
      return (await stored.get(name)) ? [] : id
    }),
  )
  return new Set(held.flat())
}

function nameOf({ conversation, audience }: SessionKey): string {
  return JSON.stringify([conversation, audience])
}

/** True if text of a memory stands in a turn's requests or in what it changed, or may stand in those of its children. */
export function showsMemory({ steps, recalled = [], children }: TurnTrace, context: NotedChanges | undefined): boolean {
  return (
    recalled.length + children.length + (context?.changes.length ?? 0) > 0 ||
    steps.some(({ assembly }) => assembly.spans.some(({ trust }) => trust === "memory"))
  )
}
