import { describe, expect, test } from "vitest"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { heldOf } from "../../support/held.ts"

/** A model that keeps nothing of its requests. It stands apart, so that it does not hold what is around a session either. */
function modelThatSays(answers: string[]): LanguageModel {
  return {
    id: "m",
    capabilities: { developerRole: false, tools: false },
    async *stream({ messages }) {
      // Background work asks too, and must not take an answer of the conversation.
      const isTurn = messages.some(({ content }) => content.includes('"action"'))
      yield { type: "text-delta", delta: (isTurn ? answers.shift() : undefined) ?? finish("Hello.") }
      yield { type: "finish", reason: "stop" }
    },
  }
}

/** A session after two turns, and weak references to their requests. */
async function talked(options: Parameters<typeof testAgent>[2] = {}) {
  const store = createInMemoryStore()
  const answers: string[] = []
  const made = testAgent(modelThatSays(answers), {}, { store, ...options })
  const refs: WeakRef<object>[] = []
  const send = async (text: string, ...given: readonly string[]) => {
    answers.push(...given)
    const { trace } = await made.session.send(text).result
    for (const { assembly } of trace.steps) refs.push(new WeakRef(assembly.messages))
  }
  await send("A secret.")
  await send("Another one.")
  return { ...made, store, refs, send }
}

describe("what a session remembers of its requests", () => {
  test("S18 stays while the session lives, and goes with it", async () => {
    const ended = async () => {
      const { agent, session, refs } = await talked()
      expect(await heldOf(refs, 20)).toBe(2)
      expect(session.key.conversation).toBe("test")
      return { agent, refs }
    }
    const { agent, refs } = await ended()
    expect(await heldOf(refs)).toBe(0)
    expect(agent.session("test").key.conversation).toBe("test")
  })

  test.each([
    ["the conversation", { agent: "test", conversation: "test" }],
    ["the user", { agent: "test", user: "test" }],
    ["the agent", { agent: "test" }],
  ])("S18 goes when a store forgets %s", async (_, scope) => {
    const { session, store, refs } = await talked()
    await store.forget(scope)
    expect(await heldOf(refs)).toBe(0)
    expect(session.key.conversation).toBe("test")
  })

  test("S18 goes with the end of a turn that forgot something", async () => {
    const forget = defineTool({
      name: "forget",
      description: "Forgets.",
      execute: (_, { record }) => {
        record?.({ kind: "forget", tool: "forget", summary: "Forgotten." })
        return "Forgotten."
      },
    })
    const { session, refs, send } = await talked({ tools: [forget] })
    await send("Forget it.", callTool("forget", {}))
    expect(await heldOf(refs)).toBe(0)
    expect(session.key.conversation).toBe("test")
  })
})
