import { Session } from "../../agent/session.ts"
import type { Assembly } from "../../core/span.ts"
import { withoutContext } from "../../dialect/dialect.ts"
import type { MemoryRecall } from "../../services/memory/memory-service.ts"
import type { SessionRecord, SessionStore } from "../../services/store/session-store.ts"
import type { ToolRun } from "../../tools/tool.ts"
import { createToolSet } from "../../tools/tool-set.ts"
import type { TurnTrace } from "../../trace/trace.ts"
import type { AgentContext } from "../../turn/turn-context.ts"
import { HttpProblem } from "../http-problem.ts"
import type { KeptTurn } from "./recorder.ts"

/** The changes to a request that is assembled again. */
export interface PreviewChanges {
  /** Tokens that the request may have; absent: the profile's budget. */
  readonly budgetTokens: number | undefined
  /** Keys of injections to leave out. */
  readonly off: readonly string[]
}

/**
 * Assembles the first request of a turn again, with changes. Prestart tools and recall are not run: they return what they returned in the
 * turn. Hooks run, on the session's state as it stands now. No model is called and nothing is kept.
 */
export async function previewAgain(
  agent: AgentContext,
  turn: KeptTurn,
  { budgetTokens, off }: PreviewChanges,
): Promise<Assembly> {
  const { id, session: key, speaker, question, wake, items, startedMs, trace } = turn
  const [first] = trace?.steps ?? []
  if (!trace || !first) throw new HttpProblem(409, "The turn has no request yet.")
  if (wake !== undefined) throw new HttpProblem(409, "A turn in which nobody spoke cannot be assembled again.")
  const { profile, dialect, tools, ports } = agent
  const { answerTokens } = profile.budget
  const budget = budgetTokens === undefined ? profile.budget : { ...profile.budget, tokens: budgetTokens + answerTokens }
  const context: AgentContext = {
    ...agent,
    profile: { ...profile, budget },
    dialect: withoutContext(dialect, off),
    tools: createToolSet(tools.tools.map((tool) => ({ ...tool, execute: () => resultOf(trace.prestart, tool.name) }))),
    memory: agent.memory && recalledAgain(trace),
    store: storeBefore(agent.store, id),
    ports: { ...ports, clock: { nowMs: () => startedMs } },
    tellObservers: undefined,
    inspection: {},
  }
  const session = new Session(context, context, key)
  // Global items are on the agent's stack still.
  const inject = items.filter(({ scope }) => scope !== "global")
  return session.preview(question, { from: speaker, prompt: first.prompt, inject })
}

/** The result that a tool had before the turn's first plan. */
function resultOf(runs: readonly ToolRun[], name: string): string {
  const run = runs.find(({ tool }) => tool === name)
  if (run?.status === "ok" && run.empty !== true) return run.result
  throw new Error(run?.result ?? "It did not run.")
}

function recalledAgain({ recalled = [] }: TurnTrace): MemoryRecall {
  return { recall: async () => recalled.map(({ why: _, ...memory }, at) => ({ ...memory, id: memory.id ?? String(at) })) }
}

/** The sessions of a store as they were before a turn, without the items of their stacks. Writes are left out. */
function storeBefore(store: SessionStore, turnId: string): SessionStore {
  return {
    async load(key, options): Promise<SessionRecord | undefined> {
      const record = await store.load(key, options)
      if (!record) return undefined
      const at = record.history.findIndex((message) => message.turnId === turnId)
      const history = at < 0 ? record.history : record.history.slice(0, at)
      return { ...record, history, state: { ...record.state, stack: [] } }
    },
    messages: (key, filter) => store.messages(key, filter),
    branches: (...given) => store.branches(...given),
    commit: async () => ({ version: 0 }),
    append: async () => undefined,
    post: async () => false,
  }
}
