import { z } from "zod"
import { type InspectorOptions, inspector } from "../../../../src/apps/server/inspector/inspector.ts"
import type { TurnRecord } from "../../../../src/apps/server/inspector/turn-record.ts"
import type { LanguageModel } from "../../../../src/core/model/language-model.ts"
import type { AgentOptions } from "../../../../src/loop/agent/agent-options.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { ProfileInput } from "../../../../src/profile/profile.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { manualClock, type ScriptedAnswer, scriptedModel } from "../../../../src/testing/index.ts"
import { testAgent } from "../../../support/agents.ts"

/** The settings of {@link inspected}. */
interface Setup extends InspectorOptions {
  readonly profile?: ProfileInput
  readonly model?: LanguageModel
  readonly agentOptions?: Partial<AgentOptions>
}

/** An agent with an inspector, and ways to ask for its page's data. */
export function inspected(answers: readonly ScriptedAnswer[], { profile, model, agentOptions, ...options }: Setup = {}) {
  const look = defineTool({ name: "look", description: "Looks at the clock.", inputSchema: z.object({}), execute: () => "three" })
  const { agent, session } = testAgent(
    model ?? scriptedModel(answers),
    { memory: { enabled: false }, ...profile },
    { store: createInMemoryStore(), tools: [look], ...agentOptions },
  )
  const made = inspector(agent, { clock: manualClock(Date.UTC(2026, 0, 2, 3, 4, 5)), ...options })
  const fetch = (path: string, init?: RequestInit) =>
    made.fetch(new Request(`http://127.0.0.1:1/base/${made.token}/${path}`, init))
  const get = async <T>(path: string): Promise<T> => (await fetch(path)).json() as Promise<T>
  const post = (path: string, body: unknown) => fetch(path, { method: "POST", body: JSON.stringify(body) })
  const record = async (id: string): Promise<TurnRecord> => {
    const found = await made.record(id)
    if (!found) throw new Error(`Expected a record of ${id}.`)
    return found
  }
  return { agent, session, made, fetch, get, post, record }
}

/** The content of each message of a request. */
export function contents({ messages }: Pick<TurnRecord["requests"][number], "messages">): string[] {
  return messages.map(({ spans }) => spans.map(({ text }) => text).join(""))
}
