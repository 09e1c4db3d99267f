import { describe, expect, test } from "vitest"
import type { ModelRequest } from "../../../src/core/model/language-model.ts"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"
import { amount, seedOf } from "../../support/size.ts"

const textOf = ({ messages }: ModelRequest): string => messages.map(({ content }) => content).join("\n")
const turns = amount("SIMULATED_TURNS")

describe("what an agent remembers", () => {
  test("stays in private: nothing said there, and nothing known from there, enters a group's prompt", async () => {
    const store = createInMemoryStore()
    const model = backgroundModel({
      profile: (request) => (textOf(request).includes("SECRET") ? '{"secret": "SECRET"}' : '{"city": "Hangzhou"}'),
    })
    const { agent, session } = testAgent(model, {}, { store })
    const ann = { id: "ann", name: "Ann" }
    await session.send("my SECRET is tea", { from: ann }).result
    await agent.idle()
    const group = agent.session({ conversation: "club", audience: "group" })
    await group.send("what is my secret, about tea?", { from: ann }).result
    await agent.idle()
    await group.send("and where do I live? tea?", { from: ann }).result
    const inGroup = model.asked.filter(({ facts }) => facts?.prompt === "planner").slice(1)
    expect(inGroup).toHaveLength(2)
    for (const request of inGroup) expect(textOf(request)).not.toContain("SECRET")
    expect(textOf(inGroup[1] ?? { messages: [] })).toContain("city: Hangzhou")
    const bob = agent.session({ conversation: "bob's", audience: "private" })
    await bob.send("what is the secret about tea?", { from: { id: "bob", name: "Bob" } }).result
    expect(textOf(model.asked.at(-1) ?? { messages: [] })).not.toContain("SECRET")
  })

  test("no receipt is left of a turn that is forgotten while its background work ends", async () => {
    const store = createInMemoryStore()
    const warnings: string[] = []
    const { receipts } = store
    let races = 0
    // As another process does at the last moment: it deletes the rows, and nothing tells the job.
    const racing: Store = {
      ...store,
      receipts: {
        ofTurn: (turnId, key) => receipts.ofTurn(turnId, key),
        since: (key, sinceMs) => receipts.since(key, sinceMs),
        async put(receipt, options) {
          races++
          await store.forget({ agent: "test" })
          await receipts.put(receipt, options)
        },
      },
    }
    const onWarning = ({ message }: { readonly message: string }) => void warnings.push(message)
    const { agent, session } = testAgent(backgroundModel({}), {}, { store: racing, onWarning })
    await session.send("hi").result
    await agent.idle()
    expect(races).toBe(1)
    const lines: string[] = []
    for await (const line of store.export({ agent: "test" })) lines.push(line)
    expect(lines).toEqual([])
    expect(warnings).toEqual([])
  })

  test(`T35 over ${turns} turns no memory, statement or background prompt holds what was recalled or injected`, async () => {
    const store = createInMemoryStore()
    const random = mulberry32(seedOf(35))
    let said = 0
    const injected = "INJECTED by a hook"
    const leaks: string[] = []
    const mark = "⟦recalled⟧"
    const check = (request: ModelRequest): string => {
      const text = textOf(request)
      if (text.includes(injected) || text.includes(mark) || text.includes("PRESTART")) leaks.push(text)
      return "7"
    }
    const model = backgroundModel({
      importance: check,
      profile: (request) => (check(request) === "7" ? "{}" : ""),
      turn: () => finish(`answer ${said}`),
    })
    const recall = { recall: async () => [{ id: "m", text: `${mark} an old fact` }] }
    const { agent } = testAgent(
      model,
      { context: { older: "keep" }, memory: { reflectEvery: 0 } },
      {
        store,
        memory: recall,
        hooks: [
          {
            name: "injector",
            beforeTurn: ({ stack }) => void stack.add({ key: "note of a hook", content: injected, scope: "turn" }),
          },
        ],
      },
    )
    const recalledIn = (): boolean =>
      model.asked.some((request) => request.facts?.prompt === "planner" && textOf(request).includes(mark))
    for (let turn = 0; turn < turns; turn++) {
      const group = random() < 0.3
      const conversation = `c${Math.floor(random() * 9)}`
      const user = `u${Math.floor(random() * 4)}`
      said++
      await agent
        .session({ conversation, audience: group ? "group" : "private" })
        .send(`fact ${said} of ${user}`, { from: { id: user, name: user } }).result
      if (turn % 50 === 0) {
        expect(recalledIn()).toBe(true)
        model.asked.length = 0
      }
    }
    await agent.idle()
    const rows: { table: string; memory?: { text: string } }[] = []
    for await (const line of store.export({ agent: "test" })) rows.push(JSON.parse(line))
    const memories = rows.filter(({ table }) => table === "memory")
    expect(memories.length).toBeGreaterThan(turns)
    expect(memories.filter(({ memory }) => !/^(?:fact|answer) \d+/.test(memory?.text ?? ""))).toEqual([])
    expect(leaks).toEqual([])
  })
})
