import { PromptStrataError } from "../core/errors.ts"
import type { AgentContext } from "../turn/turn-context.ts"

/** How to come by an agent's parts from outside `createAgent`. */
interface PublishedAgent {
  current(): AgentContext | Promise<AgentContext>
  isClosed(): boolean
}

const published = new WeakMap<object, PublishedAgent>()

/** Lets what runs turns of an agent beside its sessions find its parts. */
export function publishAgent(agent: object, parts: PublishedAgent): void {
  published.set(agent, parts)
}

/** The parts of an agent that `createAgent` made. Throws `usage` for another object and `closed` for a closed agent. */
export async function contextOf(agent: object): Promise<AgentContext> {
  const parts = published.get(agent)
  if (!parts) throw new PromptStrataError("usage", "expected an agent that createAgent made, found another object.")
  if (parts.isClosed())
    throw new PromptStrataError("closed", "The agent is closed.", { hint: "Make a new agent with createAgent." })
  return parts.current()
}
