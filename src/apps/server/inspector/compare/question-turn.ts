import type { AgentContext } from "../../../../loop/turn/turn-context.ts"
import { createInMemoryStore } from "../../../../memory/services/store/in-memory/in-memory-store.ts"
import type { ReplayableTurn } from "../replay/again.ts"

/** A question that no turn has asked, with the conversation before it. */
export interface AskedQuestion {
  readonly question: string
  readonly history?: readonly SaidBefore[] | undefined
}

/** Words of the conversation before a question. */
export interface SaidBefore {
  readonly role: "user" | "assistant"
  readonly content: string
}

/**
 * A question as a turn, the first of a conversation of its own or the next one behind its history, and the store in which that stands. It
 * has no memories, and no tool acts.
 */
export async function turnOfQuestion(agent: AgentContext, { question, history = [] }: AskedQuestion) {
  const { profile, ports } = agent
  const id = ports.ids.next("question")
  const session = { agent: profile.agent.id, conversation: id, audience: "private" } as const
  const speaker = { id: "inspector", name: profile.user.name }
  const startedMs = ports.clock.nowMs()
  const store = createInMemoryStore()
  if (history.length > 0) {
    const own = { id: profile.agent.id, name: profile.agent.name }
    const said = history.map(({ role, content }, at) => ({
      ...{ role, text: content, atMs: startedMs - history.length + at },
      turnId: `${id}-${history.slice(0, at + 1).filter((other) => other.role === "user").length}`,
      speaker: role === "user" ? speaker : own,
    }))
    await store.append(session, said)
  }
  const nothing = { prestart: [], tools: [], recalled: [], items: [] }
  const turn: ReplayableTurn = { id, session, speaker, question, startedMs, prompt: "planner", ...nothing }
  return { turn, store }
}
