import { z } from "zod"
import type { LanguageModel, ModelPart } from "../../../../src/core/model/language-model.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { calledWith, deltas, descriptionOf, instructions, type Looper, nameOf, readAll } from "./looper.ts"

/** This library, native tool calls as its peers have them, and its memory off as they have none. */
export function ours(version: string): Looper {
  return {
    name: "promptstrata",
    version,
    makeTurn: (toolCount) => {
      const inputSchema = z.object({ subject: z.string(), limit: z.number().int().optional() })
      const tools = Array.from({ length: toolCount }, (_, at) =>
        defineTool({ name: nameOf(at), description: descriptionOf(at), inputSchema, execute: () => "ok" }),
      )
      const profile = resolveProfile({
        dialect: "layered",
        locale: "en",
        persona: instructions,
        loop: { mode: "native" },
        memory: { enabled: false },
      })
      const agent = createAgent({ profile, model, tools })
      let conversations = 0
      return (question) => readAll(agent.session(`new-${conversations++}`).send(question).textStream)
    },
  }
}

const model: LanguageModel = {
  id: "bench",
  capabilities: { developerRole: false, tools: true },
  async *stream({ messages }): AsyncGenerator<ModelPart> {
    if (messages.at(-1)?.role !== "tool") {
      yield { type: "tool-call", call: { id: "call-1", name: nameOf(0), args: JSON.stringify(calledWith) } }
      yield { type: "finish", reason: "tool-calls" }
      return
    }
    for (const delta of deltas) yield { type: "text-delta", delta }
    yield { type: "finish", reason: "stop" }
  },
}
