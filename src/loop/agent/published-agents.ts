import { PromptStrataError } from "../../core/errors.ts"
import type { Store } from "../../memory/services/store/store.ts"
import type { AgentContext, AgentQueues, Inspection } from "../turn/turn-context.ts"

/** Access to an agent's context from outside `createAgent`. */
export interface PublishedAgent {
  current(): AgentContext | Promise<AgentContext>
  readonly closed: AbortSignal
  /** Shared by the agent's contexts. */
  readonly inspection: Inspection
  readonly asking: AgentContext["asking"]
  readonly runner: AgentQueues["runner"]
  readonly store: Store
}

/** By the agent, or the session of one, that a program holds: its inside is no member of what it sees. */
const published = new WeakMap<object, PublishedAgent>()

/** Makes the context of an agent available by it, or by a session of it, to {@link contextOf}. */
export function publishAgent<T extends object>(agent: T, parts: PublishedAgent): T {
  published.set(agent, parts)
  return agent
}

/** The current context of an agent, or of the agent of a session, that `createAgent` made. Throws `usage` for another object and `closed` for a closed agent. */
export async function contextOf(agent: object): Promise<AgentContext> {
  const parts = partsOf(agent)
  if (parts.closed.aborted)
    throw new PromptStrataError("closed", "The agent is closed.", { hint: "Make a new agent with createAgent." })
  return parts.current()
}

/** The parts of an agent that are there whatever became of its profile. Throws `usage` for another object. */
export function partsOf(agent: object): PublishedAgent {
  const parts = published.get(agent)
  if (!parts) throw new PromptStrataError("usage", "expected an agent that createAgent made, found another object.")
  return parts
}
