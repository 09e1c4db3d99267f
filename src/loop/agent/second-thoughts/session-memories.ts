import { PromptStrataError } from "../../../core/errors.ts"
import { loadJudging } from "../../../memory/services/load-memories.ts"
import {
  type ExplainableMemory,
  type ExplainedMemory,
  explainMemories,
} from "../../../memory/services/memory/explain-memories.ts"
import type { ForgottenMemories } from "../../../memory/services/store/records.ts"
import type { Store, StoreScope } from "../../../memory/services/store/store.ts"
import type { SessionAtRest } from "../queue/turn-states.ts"
import { type ExplainMemoriesOptions, type ForgetMemoryOptions, inputOf, type SpeakerInput } from "../session-options.ts"

/** The work of `Session.explainMemories`. */
export async function explain(
  at: SessionAtRest,
  question: string,
  { from, limit = 8 }: ExplainMemoriesOptions,
): Promise<readonly ExplainedMemory[]> {
  const { receipts } = at.session.agent
  return explainMemories({ memory: memoryOf(at), receipts }, question, keyOf(at, from), { limit, signal: at.signal })
}

/** The work of `Session.forgetMemory`. */
export async function forget(at: SessionAtRest, id: string, { from }: ForgetMemoryOptions): Promise<ForgottenMemories> {
  const memory = memoryOf(at)
  if (memory.forget === undefined) {
    const message = "forgetMemory expected a memory service with the method `forget`, found one without it."
    throw new PromptStrataError("usage", message, { hint: "Give the agent a whole store, or a service that can forget." })
  }
  const key = keyOf(at, from)
  const forgotten = await memory.forget([id], key, { atMs: at.session.agent.ports.clock.nowMs() })
  if (forgotten.memories > 0) return forgotten
  const message = `forgetMemory expected the id of a memory of user ${JSON.stringify(key.user)}, found ${JSON.stringify(id)}.`
  throw new PromptStrataError("usage", message, { hint: "Session.explainMemories tells the ids; pass the same `from`." })
}

/** The work of `Agent.retryMemories`. */
export async function retryMemories(store: Store | undefined, scope: StoreScope, atMs: number): Promise<number> {
  if (store) return (await loadJudging()).retryUnjudged(store, scope, atMs)
  throw new PromptStrataError("usage", "retryMemories expected an agent with a whole store, found one without.")
}

function memoryOf({ session: { agent } }: SessionAtRest): ExplainableMemory {
  if (agent.memory) return agent.memory
  throw new PromptStrataError("usage", "The agent has no memory that could be explained or forgotten.", {
    hint: "Give createAgent a whole store, and leave [memory] enabled on.",
  })
}

function keyOf({ session }: SessionAtRest, from: SpeakerInput | undefined) {
  return inputOf(session, { text: "", turnId: "", options: from ? { from } : {} }).key
}
