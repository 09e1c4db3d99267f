import { describe, expect, test } from "vitest"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"

const group = { conversation: "friends", audience: "group" } as const
const ada = { id: "ada", name: "Ada" }
const bob = { id: "bob", name: "Bob" }

function listener() {
  const store = createInMemoryStore()
  const model = backgroundModel()
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const { agent } = testAgent(model, { locale: "en" }, { store, ports: { clock, timers: manualTimers(clock) } })
  const session = agent.session(group)
  const say = async (text: string) => {
    clock.advance(1_000)
    const result = await session.send(text, { from: ada }).result
    await agent.idle()
    clock.advance(1_000)
    return result.trace.turnId
  }
  const hear = async (text: string) => {
    clock.advance(1_000)
    await session.hear(text, { from: bob })
  }
  const key = { ...session.key, user: "ada" }
  const memories = async () => (await store.memories.recent(key, { limit: 1_000 })).map(({ user, text }) => `${user}: ${text}`)
  return { store, model, session, agent, key, say, hear, memories }
}

describe("the memory of words that are heard", () => {
  test("they are judged and kept with the next turn, once, as their speaker's own, and go with their speaker", async () => {
    const { store, model, session, say, hear, memories } = listener()
    await hear("My cat is called Mia")
    await hear("She likes trains")
    expect(await memories()).toEqual([])
    await say("Good morning, Fay, how are you?")
    const calls = model.asked.filter(({ facts }) => facts?.prompt !== "planner")
    expect(calls.map(({ facts }) => facts?.prompt)).toEqual(["importance", "user-profile"])
    const shown = calls.map(({ messages }) => messages.map(({ content }) => content).join("\n"))
    expect(shown[0]).toContain("My cat is called Mia")
    expect(shown[1]).not.toContain("My cat is called Mia")
    await say("And what do you know of trains?")
    const own = ["ada: Good morning, Fay, how are you?", "ada: I see.", "ada: And what do you know of trains?"]
    expect((await memories()).sort()).toEqual([...own, "bob: My cat is called Mia", "bob: She likes trains"].sort())
    expect(
      model.asked
        .at(-2)
        ?.messages.map(({ content }) => content)
        .join("\n"),
    ).not.toContain("My cat is called Mia")
    await store.forget({ agent: session.key.agent, user: "bob" })
    expect((await memories()).filter((text) => text.startsWith("bob"))).toEqual([])
  })

  test("the profile learns from words of its own user that share an answer with others, and from nobody else's", async () => {
    const clock = manualClock(Date.UTC(2026, 0, 2))
    const timers = manualTimers(clock)
    const model = backgroundModel()
    const conversation = { mergeMs: 100 }
    const { agent } = testAgent(model, { locale: "en", conversation }, { store: createInMemoryStore(), ports: { clock, timers } })
    const session = agent.session(group)
    session.send("I live in Oslo", { from: ada })
    session.send("I live in Rome", { from: bob })
    const last = session.send("Near the harbour", { from: ada })
    await timers.whenPending(1)
    for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
    timers.advance(100)
    await last.result
    await agent.idle()
    const [learnt] = model.asked.filter(({ facts }) => facts?.prompt === "user-profile")
    const shown = learnt?.messages.map(({ content }) => content).join("\n") ?? ""
    expect(["Oslo", "harbour", "Rome"].map((word) => shown.includes(word))).toEqual([true, true, false])
  })

  test("what is heard while the memory is off is never remembered, and stays in history", async () => {
    const { session, store, say, hear, memories } = listener()
    await hear("said before the switch")
    await session.setMemory(false)
    await hear("said while it is off")
    await session.setMemory(true)
    await hear("said when it is on again")
    await say("Good morning, Fay, how are you?")
    expect((await memories()).filter((text) => text.startsWith("bob"))).toEqual(["bob: said when it is on again"])
    expect(await store.messages(session.key, { speaker: "bob", limit: 9 })).toHaveLength(3)
  })

  test("of very many, the newest are kept, and the receipt says how many are not", async () => {
    const { store, key, say, hear, memories } = listener()
    for (let at = 0; at < 60; at++) await hear(`heard words number ${at}`)
    const turnId = await say("Good morning, Fay, how are you?")
    const kept = (await memories()).filter((text) => text.startsWith("bob"))
    expect([kept.length, kept[0]]).toEqual([50, "bob: heard words number 10"])
    const receipts = await store.receipts.ofTurn(turnId, key)
    expect(receipts.find(({ kind }) => kind === "store")?.message).toBe("52 stored, 10 heard passed over")
  })
})
