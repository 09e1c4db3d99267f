import type { PromptStack } from "../../../prompt/stack/prompt-stack.ts"
import type { AgentContext, TurnInput } from "../../turn/turn-context.ts"

/**
 * By session, the turns of this process whose words wait for an approval, in the order of their calls: by the id of the turn, the id under
 * which the history has its words, empty if it has them not.
 */
export const heldTurns = new WeakMap<PromptStack, Map<string, string>>()

/** Notes a turn that waits. */
export function holdTurn(stack: PromptStack, turnId: string, keptId: string): void {
  const held = heldTurns.get(stack) ?? new Map<string, string>()
  heldTurns.set(stack, held.set(turnId, keptId))
}

/** How often a message looks whether those before it have begun. */
const lookMs = 250

/** How long a turn has to wait because others, which came before it, still wait to begin; undefined if it may begin. */
export function behindHeld(agent: AgentContext, { stack, turnId, wake }: TurnInput): { readonly waitMs: number } | undefined {
  const held = heldTurns.get(stack)
  if (held === undefined || wake !== undefined) return undefined
  for (const [id] of held) {
    if (id === turnId) break
    if (isLive(agent, id)) return { waitMs: lookMs }
    held.delete(id)
  }
  held.delete(turnId)
  return undefined
}

/** The ids under which the history has words that turns of this process are still to answer. */
export function heldWords(agent: AgentContext, stack: PromptStack): ReadonlySet<string> {
  const held = [...(heldTurns.get(stack) ?? [])]
  return new Set(held.flatMap(([id, keptId]) => (isLive(agent, id) ? [keptId] : [])))
}

function isLive({ running }: AgentContext, turnId: string): boolean {
  for (const { id } of running) if (id === turnId) return true
  return false
}
