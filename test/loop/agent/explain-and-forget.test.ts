import { describe, expect, test } from "vitest"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { builtinTools } from "../../../src/node/builtin-tools.ts"
import type { Confirm } from "../../../src/prompt/tools/tool.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"

const key = { agent: "test", conversation: "test", audience: "private", user: "test" } as const
const from = { id: "test", name: "Ada" }
const names = ["explain_memory", "forget_memory"]
const clock = { nowMs: () => 0 }

/** An agent that knows from one conversation that Ada is allergic to nuts, with an insight from that. */
async function knowing(options: { readonly confirm?: Confirm; readonly locale?: string } = {}) {
  const { confirm, locale = "en" } = options
  const store = createInMemoryStore()
  const planned: string[] = []
  const reflection = '[{"insight": "Keep nuts away from Ada.", "memories": ["1", "2"]}]'
  const model = backgroundModel({ profile: '{"allergy": "nuts"}', reflection, turn: () => planned.shift() ?? finish("I see.") })
  const tools = builtinTools(names, { locale, clock, timeZone: "UTC", dataFolder: "nowhere" })
  const profile = { locale, memory: { reflectEvery: 2, keys: false } } as const
  const { agent, session } = testAgent(model, profile, { store, tools, ...(confirm ? { confirm } : {}) })
  await session.send("I am allergic to nuts.", { from }).result
  await agent.idle()
  /** Lets the model make calls, one after the other, in a turn of another conversation. Returns their results. */
  async function call(...calls: readonly string[]) {
    planned.push(...calls, finish("Done."))
    const { trace } = await agent.session("other").send("Why do you know about the nuts?", { from }).result
    planned.length = 0
    await agent.idle()
    return { trace, results: trace.runs.map(({ result }) => result) }
  }
  return { store, agent, session, model, call }
}

async function linesWith(store: Store, word: string): Promise<readonly string[]> {
  const tables: string[] = []
  for await (const line of store.export({ agent: "test" })) if (line.includes(word)) tables.push(JSON.parse(line).table as string)
  return tables
}

describe("the tool explain_memory", () => {
  test("M10 tells who said it and when, what an insight rests on, the score and the background work", async () => {
    const { call } = await knowing()
    const { results } = await call(callTool("explain_memory", { query: "What about nuts and allergic people?" }))
    expect(results[0]).toMatchInlineSnapshot(`
      "turn-1:0: I am allergic to nuts. — said by Ada, 2026-01-02 03:04, in the conversation test, importance 7, score 0.61: words 83 %, session 10 %, recency 3 %, neighbours 2 %, importance 2 %.
      Background work: importance ok importance 7; profile ok 1 field; store ok 2 stored; reflect ok 1 insight.
      turn-1:insight:0: Keep nuts away from Ada. — your own conclusion, 2026-01-02 03:04, in the conversation test, importance 7, score 0.42: neighbours 39 %, words 39 %, session 15 %, recency 4 %, importance 3 %.
      It rests on: turn-1:0 (Ada, 2026-01-02 03:04) I am allergic to nuts.; turn-1:1 (Fay, 2026-01-02 03:04) I see..
      Background work: importance ok importance 7; profile ok 1 field; store ok 2 stored; reflect ok 1 insight.
      turn-1:1: I see. — said by Fay, 2026-01-02 03:04, in the conversation test, importance 7, score 0.28: neighbours 67 %, session 23 %, recency 6 %, importance 4 %.
      Background work: importance ok importance 7; profile ok 1 field; store ok 2 stored; reflect ok 1 insight."
    `)
  })

  test("says that nothing is known, and speaks Chinese too", async () => {
    const { call } = await knowing({ locale: "zh-CN" })
    const { results } = await call(callTool("explain_memory", { query: "zzz" }), callTool("explain_memory", { query: "nuts" }))
    expect(results[0]).toBe("你不记得与此有关的内容。")
    expect(results[1]).toContain("Ada说的")
  })
})

describe("the tool forget_memory", () => {
  test("M10 undoes the memory, the profile's fact and the insight at once, with a receipt", async () => {
    const { store, call, agent } = await knowing()
    const { results, trace } = await call(callTool("forget_memory", { id: "turn-1:0" }))
    expect(results[0]).toBe("Forgotten: memories 3, facts about the user 1. The messages of the conversations stay.")
    expect(trace.records.map(({ kind }) => kind)).toContain("forget")
    expect((await store.users.load(key)).statements).toEqual([])
    expect(await store.memories.get("turn-1:0", key)).toBeUndefined()
    expect((await store.receipts.ofTurn("turn-1", key)).map(({ kind }) => kind)).toEqual(["forget turn-1:0"])
    expect([...new Set(await linesWith(store, "allergic"))]).toEqual(["message"])
    expect(await linesWith(store, "Why do you know about the nuts?"), "the turn that forgot").toEqual(["message"])
    const later = await agent.session("third").send("Am I allergic to anything, nuts perhaps?", { from }).result
    expect(JSON.stringify(later.trace.steps)).not.toMatch(/allergic to nuts|Keep nuts away|allergy/)
  })

  test("asks first where somebody can be asked, and forgets nothing if it is refused", async () => {
    const asked: string[] = []
    const confirm: Confirm = async ({ summary }) => {
      asked.push(summary)
      return false
    }
    const { store, call } = await knowing({ confirm })
    const { results } = await call(callTool("forget_memory", { id: "turn-1:0" }))
    expect(asked).toEqual(['forget "I am allergic to nuts." and everything that was concluded from it'])
    expect(results[0]).toContain("The person did not allow it. Nothing is forgotten.")
    expect(await store.memories.get("turn-1:0", key)).toBeDefined()
  })

  test("reaches only memories of the person who speaks", async () => {
    const { store, call, agent } = await knowing()
    const bobs = agent.session("bobs")
    await bobs.send("I like canaries.", { from: { id: "bob" } }).result
    await agent.idle()
    const { id = "" } = (await store.memories.recent({ ...key, user: "bob", conversation: "bobs" }, { limit: 1 }))[0] ?? {}
    const { results } = await call(callTool("forget_memory", { id }), callTool("explain_memory", { query: "canaries" }))
    expect(results[0]).toContain(`This person has no memory with the id ${id}.`)
    expect(results[1]).not.toContain("I like canaries")
    expect(await linesWith(store, "canaries")).toContain("memory")
  })

  test("does nothing while the conversation's memory is off (D2)", async () => {
    const { store, agent, call } = await knowing()
    await agent.session("other").setMemory(false)
    const { results } = await call(callTool("forget_memory", { id: "turn-1:0" }), callTool("explain_memory", { query: "nuts" }))
    expect(results[0]).toContain("Memory is off in this conversation")
    expect(results[1]).toBe("Memory is off in this conversation.")
    expect(await store.memories.get("turn-1:0", key)).toBeDefined()
  })
})

describe("a session", () => {
  test("explains memories with their sources and receipts, and forgets one with its copies in every conversation", async () => {
    const { store, agent, session } = await knowing()
    const other = agent.session("other")
    await other.send("What about nuts?", { from }).result
    await agent.idle()
    const explained = await other.explainMemories("Keep nuts away", { from, limit: 2 })
    const insight = explained.find(({ stored }) => stored?.kind === "insight")
    expect(insight?.sources.map(({ text }) => text)).toContain("I am allergic to nuts.")
    expect(insight?.receipts.map(({ kind }) => kind)).toEqual(["importance", "profile", "store", "reflect"])
    expect(insight?.why?.length).toBeGreaterThan(0)
    const { memories, statements } = await session.forgetMemory("turn-1:0", { from })
    expect([memories, statements]).toEqual([3, 1])
    for await (const line of store.export({ agent: "test", conversation: "other" })) expect(line).not.toContain("allergic")
  })

  test("says so if there is no such memory, nothing to explain, or nobody's", async () => {
    const { session } = await knowing()
    await expect(session.forgetMemory("turn-9:0", { from })).rejects.toMatchObject({ code: "usage" })
    await expect(session.forgetMemory("turn-1:0", { from: { id: "bob" } })).rejects.toMatchObject({ code: "usage" })
    expect(await session.explainMemories("nuts", { from: { id: "bob" } })).toEqual([])
    const { session: bare } = testAgent(backgroundModel())
    await expect(bare.explainMemories("nuts")).rejects.toMatchObject({ code: "usage" })
    await expect(bare.forgetMemory("m")).rejects.toMatchObject({ code: "usage" })
    expect(() => session.explainMemories("x", { limits: 3 } as never)).toThrow('"limit"')
  })
})

test("words that were judged with later turns are forgotten with what these turns' work drew from them", async () => {
  const store = createInMemoryStore()
  const model = backgroundModel({ batch: '{"importance": 7, "profile": {"city": "Oslo"}}' })
  const { agent, session } = testAgent(model, { memory: { batchTurns: 2, keys: false } }, { store })
  for (const words of ["I moved to Oslo.", "It is cold here."]) await session.send(words, { from }).result
  await agent.idle()
  expect((await store.users.load(key)).statements.map(({ value }) => value)).toEqual(["Oslo"])
  await session.forgetMemory("turn-1:0", { from })
  expect((await store.users.load(key)).statements).toEqual([])
  expect(await linesWith(store, "I moved to Oslo")).toEqual(["message"])
})
