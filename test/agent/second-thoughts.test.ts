import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { AgentOptions } from "../../src/agent/agent-options.ts"
import { createInMemoryStore } from "../../src/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/services/store/store.ts"
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts"
import { finish, testAgent } from "../support/agents.ts"
import { backgroundModel } from "../support/remembering.ts"
import { tempFolder } from "../support/temp-folder.ts"

const key = { agent: "test", conversation: "test", audience: "private" } as const
const user = { ...key, user: "test" }

/** An agent that numbers its answers and learns a fact from each turn. */
function talker(store: Store, options: Partial<AgentOptions> = {}) {
  let answers = 0
  const model = backgroundModel({
    turn: () => finish(`answer number ${++answers}`),
    profile: ({ messages }) => JSON.stringify({ said: /word\d/.exec(messages.at(-1)?.content ?? "")?.[0] ?? "none" }),
  })
  return { ...testAgent(model, { memory: { reflectEvery: 0 }, context: { older: "keep" } }, { store, ...options }), model, store }
}

type Talker = ReturnType<typeof talker>

async function say({ session, agent }: Talker, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    expect((await session.send(text).result).ok).toBe(true)
    await agent.idle()
  }
}

const textsOf = async ({ session }: Talker) => (await session.history()).map(({ text }) => text)

async function drawn({ store }: Talker) {
  const lines: string[] = []
  for await (const line of store.export({ agent: "test" })) lines.push(line)
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { memories: rows.filter(({ table }) => table === "memory"), text: lines.join("\n") }
}

const stores = [
  ["in memory", () => createInMemoryStore() as Store],
  ["in a file", () => openSqliteStore(join(tempFolder(), "store.sqlite")) as unknown as Store],
] as const

describe.each(stores)("second thoughts %s", (_, open) => {
  test("a conversation ends behind a turn or message, and begins anew; what is set aside leaves nothing that was drawn from it", async () => {
    const made = talker(await open())
    const { session, store, agent } = made
    await say(made, "I like word1", "I like word2", "I like word3")
    expect((await drawn(made)).memories.length).toBeGreaterThan(3)
    const receipts = async (turn: string) => (await store.receipts.ofTurn(turn, user)).length
    expect(await receipts("turn-2")).toBeGreaterThan(0)
    await session.rewind("turn-1:0")
    expect(await textsOf(made)).toEqual(["I like word1", "answer number 1"])
    expect(await receipts("turn-2")).toBe(0)
    expect(await receipts("turn-1")).toBeGreaterThan(0)
    const { messages } = await session.preview("what do I like? word2 word3")
    expect(JSON.stringify(messages).match(/I like word\d/g)).toEqual(["I like word1"])
    expect(JSON.stringify((await drawn(made)).memories)).not.toMatch(/word[23]/)
    await session.clear()
    await session.clear()
    expect((await drawn(made)).memories).toEqual([])
    expect(await session.history()).toEqual([])
    expect(await receipts("turn-1")).toBe(0)
    expect(JSON.stringify((await session.preview("what do I like?")).messages)).not.toContain("word1")
    await say(made, "I like word4")
    expect(await textsOf(made)).toEqual(["I like word4", "answer number 4"])
    await agent.close()
    await store.close()
  })

  test("an answer is made again; the one before can be chosen, and background work draws again", async () => {
    const made = talker(await open())
    const { session, store, agent, model } = made
    await say(made, "I like word1", "I like word2")
    const turn = session.regenerate()
    const asked = model.asked.length
    expect(await turn.result).toMatchObject({ ok: true, text: "answer number 3" })
    await agent.idle()
    const request = model.asked.slice(asked).find(({ facts }) => facts?.prompt === "planner")
    expect(JSON.stringify(request?.messages)).not.toContain("answer number 2")
    expect(await textsOf(made)).toEqual(["I like word1", "answer number 1", "I like word2", "answer number 3"])
    expect((await session.history()).at(-2)?.alternatives).toMatchObject([
      { turnId: "turn-2", messages: [{ text: "I like word2" }, { text: "answer number 2" }] },
    ])
    expect(await store.receipts.ofTurn("turn-2", user)).toEqual([])
    await session.choose("turn-2")
    await agent.idle()
    expect((await textsOf(made)).at(-1)).toBe("answer number 2")
    expect(await store.receipts.ofTurn(turn.id, user)).toEqual([])
    expect((await store.receipts.ofTurn("turn-2", user)).map(({ kind }) => kind)).toContain("store")
    await session.choose("turn-2")
    await session.choose(turn.id)
    await agent.idle()
    await session.choose("turn-2")
    await agent.idle()
    expect((await store.receipts.ofTurn("turn-2", user)).map(({ kind }) => kind)).toContain("store")
    await agent.close()
    await store.close()
  })

  test("other words of a user begin a new turn there, and other words of an answer ask no model", async () => {
    const made = talker(await open())
    const { session, store, agent, model } = made
    await session.send("I like word1", { from: { id: "ann", name: "Ann" }, files: ["a.png"] }).result
    await say(made, "I like word2")
    const turn = await session.edit("turn-1:0", "I like word3")
    expect(await turn?.result).toMatchObject({ ok: true, text: "answer number 3" })
    expect(await textsOf(made)).toEqual(["I like word3", "answer number 3"])
    expect((await session.history())[0]).toMatchObject({ speaker: { id: "ann", name: "Ann" }, files: ["a.png"] })
    await agent.idle()
    const asked = model.count("planner")
    expect(await session.edit(`${turn?.id}:1`, "my own words")).toBeUndefined()
    expect(model.count("planner")).toBe(asked)
    expect(await textsOf(made)).toEqual(["I like word3", "my own words"])
    await agent.idle()
    const [said] = await session.history()
    expect((await store.receipts.ofTurn(said?.turnId ?? "", { ...user, user: "ann" })).length).toBeGreaterThan(0)
    await session.choose("turn-1")
    expect(await textsOf(made)).toEqual(["I like word1", "answer number 1", "I like word2", "answer number 2"])
    await agent.close()
    await store.close()
  })

  test("a fork has the history, draws nothing from it, and goes on by itself; forgetting one leaves the other", async () => {
    const made = talker(await open())
    const { session, store, agent } = made
    await say(made, "I like word1", "I like word2")
    const before = (await drawn(made)).memories.length
    expect(before).toBeGreaterThan(0)
    await session.fork("copy")
    const copy = agent.session("copy")
    expect((await copy.history()).map(({ text }) => text)).toEqual(await textsOf(made))
    await agent.idle()
    expect((await drawn(made)).memories).toHaveLength(before)
    await copy.regenerate().result
    await copy.fork("copy of a copy")
    expect((await agent.session("copy of a copy").history()).map(({ text }) => text).at(-1)).toBe("answer number 3")
    expect((await textsOf(made)).at(-1)).toBe("answer number 2")
    await agent.idle()
    await store.forget({ agent: "test", conversation: "test" })
    expect(await session.history()).toEqual([])
    expect((await copy.history()).map(({ text }) => text)).toEqual([
      "I like word1",
      "answer number 1",
      "I like word2",
      "answer number 3",
    ])
    await agent.close()
    await store.close()
  })

  test("what was set aside is forgotten with its conversation", async () => {
    const made = talker(await open())
    const { session, store, agent } = made
    await say(made, "the canary sings", "I like word2")
    await session.edit("turn-1:0", "I like word3")
    await agent.idle()
    expect((await drawn(made)).text).toContain("canary")
    await store.forget({ agent: "test", conversation: "test" })
    expect((await drawn(made)).text).not.toContain("canary")
    await agent.close()
    await store.close()
  })
})

test("second thoughts wait for running turns, and tell of what they cannot do", async () => {
  const made = talker(createInMemoryStore())
  const { session, agent } = made
  const unknown = { code: "usage", evidence: { turnId: "nobody" }, hint: expect.stringContaining("history") }
  expect(await session.regenerate().result).toMatchObject({ ok: false, error: { code: "usage" } })
  const turn = session.send("one")
  const rewinding = session.clear()
  expect((await turn.result).ok).toBe(true)
  await rewinding
  expect(await session.history()).toEqual([])
  await say(made, "two")
  await expect(session.rewind("nobody")).rejects.toMatchObject(unknown)
  await expect(session.choose("nobody")).rejects.toMatchObject(unknown)
  await expect(session.edit("nobody", "x")).rejects.toMatchObject(unknown)
  await expect(session.edit("turn-1:0", "x"), "set aside").rejects.toMatchObject({ code: "usage" })
  await expect(session.fork("test")).rejects.toMatchObject({ code: "usage" })
  const [words, answer] = await session.history()
  await expect(session.edit(answer?.id ?? "", " ")).rejects.toMatchObject({ code: "empty-question" })
  const blank = await session.edit(words?.id ?? "", " ")
  expect(await blank?.result).toMatchObject({ ok: false, error: { code: "empty-question" } })
  expect(() => session.regenerate({ from: { id: "x" } } as object)).toThrow(expect.objectContaining({ code: "usage" }))
  await session.wake("it is time").result
  expect(await session.regenerate().result).toMatchObject({ ok: false, error: { code: "usage" } })
  expect(await textsOf(made)).toEqual(["two", "answer number 2", "answer number 3"])
  const aborted = session.regenerate({ signal: AbortSignal.abort() })
  expect(await aborted.result).toMatchObject({ ok: false, error: { code: "aborted" } })
  await agent.close()
  expect(await session.regenerate().result).toMatchObject({ ok: false, error: { code: "closed" } })
})
