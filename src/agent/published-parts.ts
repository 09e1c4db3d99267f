import { PromptStrataError } from "../core/errors.ts"
import type { AgentParts } from "./agent-parts.ts"

/** How to come by an agent's parts from outside `createAgent`. */
export interface PublishedParts {
  current(): AgentParts | Promise<AgentParts>
  isClosed(): boolean
}

const published = new WeakMap<object, PublishedParts>()

/** Lets what runs turns of an agent beside its sessions find its parts. */
export function publishParts(agent: object, parts: PublishedParts): void {
  published.set(agent, parts)
}

/** The parts of an agent that `createAgent` made. Throws `usage` for another object and `closed` for a closed agent. */
export async function partsOf(agent: object): Promise<AgentParts> {
  const parts = published.get(agent)
  if (!parts) throw new PromptStrataError("usage", "expected an agent that createAgent made, found another object.")
  if (parts.isClosed())
    throw new PromptStrataError("closed", "The agent is closed.", { hint: "Make a new agent with createAgent." })
  return parts.current()
}
