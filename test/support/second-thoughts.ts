import { describe, expect, test } from "vitest"
import type { AgentOptions } from "../../src/loop/agent/agent-options.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { finish, testAgent } from "./agents.ts"
import { backgroundModel } from "./remembering.ts"

export const key = { agent: "test", conversation: "test", audience: "private" } as const
const user = { ...key, user: "test" }

/** An agent that numbers its answers and learns a fact from each turn. */
export function talker<Kind extends Store>(store: Kind, options: Partial<AgentOptions> = {}) {
  let answers = 0
  const model = backgroundModel({
    turn: () => finish(`answer number ${++answers}`),
    profile: ({ messages }) => JSON.stringify({ said: /word\d/.exec(messages.at(-1)?.content ?? "")?.[0] ?? "none" }),
  })
  return { ...testAgent(model, { memory: { reflectEvery: 0 }, context: { older: "keep" } }, { store, ...options }), model, store }
}

export type Talker = ReturnType<typeof talker<Store>>

export async function say({ session, agent }: Talker, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    expect((await session.send(text).result).ok).toBe(true)
    await agent.idle()
  }
}

export const textsOf = async ({ session }: Pick<Talker, "session">) => (await session.history()).map(({ text }) => text)

async function drawn({ store }: Talker) {
  const lines: string[] = []
  for await (const line of store.export({ agent: "test" })) lines.push(line)
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { memories: rows.filter(({ table }) => table === "memory"), text: lines.join("\n") }
}

/** Rules of second thoughts over a whole store. `open` opens an empty one. */
export function secondThoughts(open: () => Store | Promise<Store>): void {
  describe("second thoughts", () => {
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
      await session.send("I like word1", { from: { id: "ann", name: "Ann" }, attachments: [{ path: "a.txt" }] }).result
      await say(made, "I like word2")
      const turn = await session.edit("turn-1:0", "I like word3")
      expect(await turn?.result).toMatchObject({ ok: true, text: "answer number 3" })
      expect(await textsOf(made)).toEqual(["I like word3", "answer number 3"])
      expect((await session.history())[0]).toMatchObject({
        speaker: { id: "ann", name: "Ann" },
        attachments: [{ name: "a.txt" }],
      })
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

    test("the profile of the user gives back what was learnt from words that are set aside, and receipts show it", async () => {
      const made = talker(await open())
      const { session, store, agent } = made
      await say(made, "I like word1", "I like word2")
      const learnt = async () => (await store.users.load(user)).statements.map(({ value }) => value)
      const told = async (turn: string) =>
        (await store.receipts.ofTurn(turn, user)).flatMap(({ kind, outcome }) => (kind === "profile" ? [outcome] : []))
      expect([await learnt(), await told("turn-2")]).toEqual([["word1", "word2"], ["ok"]])
      await session.edit("turn-2:0", "I like word3").then((turn) => turn?.result)
      await agent.idle()
      expect([await learnt(), await told("turn-2"), await told("turn-3")]).toEqual([["word1", "word3"], [], ["ok"]])
      await session.choose("turn-2")
      await agent.idle()
      expect([await learnt(), await told("turn-2"), await told("turn-3")]).toEqual([["word1", "word2"], ["ok"], []])
      await session.rewind("turn-1")
      expect([await learnt(), await told("turn-1"), await told("turn-2")]).toEqual([["word1"], ["ok"], []])
      expect(JSON.stringify((await session.preview("and now?")).messages)).not.toMatch(/word[23]/)
      await agent.close()
      await store.close()
    })

    test("words that were heard behind a turn stay behind what comes in its place, and only rewinding sets them aside", async () => {
      const made = talker(await open())
      const { session, store, agent } = made
      const bob = { from: { id: "bob", name: "Bob" } }
      await say(made, "I like word1", "I like word2")
      await session.hear("so do I", bob)
      const turn = session.regenerate()
      await session.hear("me too", bob)
      expect((await turn.result).ok).toBe(true)
      const heard = ["so do I", "me too"]
      expect(await textsOf(made)).toEqual(["I like word1", "answer number 1", "I like word2", "answer number 3", ...heard])
      await session.choose("turn-2")
      expect((await textsOf(made)).slice(3)).toEqual(["answer number 2", ...heard])
      await session.edit("turn-2:1", "my own words")
      expect((await textsOf(made)).slice(3)).toEqual(["my own words", ...heard])
      await (await session.edit("turn-1:0", "I like word3"))?.result
      expect(await textsOf(made)).toEqual(["I like word3", "answer number 4", ...heard])
      expect((await session.history()).filter(({ unanswered }) => unanswered).map(({ speaker }) => speaker.id)).toEqual([
        "bob",
        "bob",
      ])
      await agent.idle()
      const [first, second] = await session.history()
      await session.rewind(first?.id ?? "")
      expect(await textsOf(made)).toEqual(["I like word3", "answer number 4"])
      await session.rewind(second?.turnId ?? "")
      expect((await drawn(made)).text).toContain("so do I")
      await agent.close()
      await store.close()
    })
  })
}
