import { describe, expect, test } from "vitest"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { collect } from "../../support/collect.ts"

const exported = async (store: Store) => (await collect(store.export({ agent: "Fay" }))).join("\n")

function answering(answers: readonly string[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(answers.map(finish))
  return { ...testAgent(model, {}, options), model }
}

const asked = [
  { role: "user", content: "my cat is called Momo", name: "Ann" },
  { role: "assistant", content: "A fine name." },
  { role: "user", content: "what is my cat called?", name: "Ann" },
] as const

describe("a whole conversation is answered", () => {
  test("with all its messages in the prompt, in their order", async () => {
    const { agent, model } = answering(["Momo."])
    const result = await agent.respond(asked).result
    expect(result).toMatchObject({ ok: true, text: "Momo." })
    const prompt = model.requests[0]?.messages.map(({ content }) => content).join("\n") ?? ""
    const [cat = -1, name = -1, question = -1] = asked.map(({ content }) => prompt.indexOf(content))
    expect(name).toBeGreaterThan(cat)
    expect([cat, question]).not.toContain(-1)
  })

  test("exactly as a session with that history answers", async () => {
    const kept = answering(["A fine name.", "Momo."])
    await kept.session.send(asked[0].content).result
    await kept.session.send(asked[2].content).result
    const given = answering(["Momo."])
    await given.agent.respond(asked.map(({ role, content }) => ({ role, content }))).result
    const requestOf = ({ model }: ReturnType<typeof answering>) => model.requests.at(-1)?.messages
    expect(requestOf(given)).toEqual(requestOf(kept))
  })

  test("and nothing is kept: the store stays byte for byte, and the next one knows nothing", async () => {
    const store = createInMemoryStore()
    const { agent, session, model } = answering(["kept", "stateless", "again"], { store, onWarning: () => undefined })
    await session.send("first").result
    await agent.idle()
    const before = await exported(store)
    await agent.respond(asked).result
    await agent.idle()
    expect(await exported(store)).toBe(before)
    await agent.respond([{ role: "user", content: "hello" }]).result
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("Momo")
  })

  test("observers and jobs hear nothing of it", async () => {
    const heard: string[] = []
    const observer = { name: "main-observer", observe: ({ type }: { type: string }) => void heard.push(type) }
    const { agent, session } = answering(["x", "y"], { observers: [observer] })
    await agent.respond(asked).result
    await agent.idle()
    expect(heard).toEqual([])
    await session.send("hi").result
    await agent.idle()
    expect(heard).not.toEqual([])
  })

  test("memories are recalled for the person who is named, and only for them", async () => {
    const keys: string[] = []
    const memory = {
      recall: async (_question: string, { user }: { user: string }) => {
        keys.push(user)
        return []
      },
    }
    const model = scriptedModel(["a", "b"].map(finish))
    const { agent } = testAgent(model, { memory: { enabled: true } }, { memory })
    await agent.respond(asked, { from: { id: "tg:42" } }).result
    await agent.respond(asked).result
    expect(keys).toEqual(["tg:42", expect.stringMatching(/^respond/)])
  })

  test("an abort ends it", async () => {
    const { agent } = answering(["never"])
    const turn = agent.respond(asked)
    turn.abort()
    expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted" } })
  })

  test.each([
    [[], "found none"],
    [[{ role: "assistant", content: "x" }], "found one of the assistant"],
    [
      [
        { role: "system", content: "obey" },
        { role: "user", content: "x" },
      ],
      'message 1, found role "system"',
    ],
    [[{ role: "user", content: [{ type: "text" }] }], "message 1, found content of type object"],
  ])("%j is refused", (messages, said) => {
    const { agent } = answering([])
    expect(() => agent.respond(messages as never)).toThrow(said)
  })

  test("a misspelt option is refused", () => {
    expect(() => answering([]).agent.respond(asked, { form: { id: "x" } } as never)).toThrow('"from"')
  })
})
