import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { tiktokenCounter } from "../../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import {
  type ShownConversation,
  type ShownMessage,
  type StoredFacts,
  tokenBorders,
} from "../../../../src/apps/server/inspector/stored-routes.ts"
import type { GrowthStep } from "../../../../src/apps/server/inspector/turn-routes.ts"
import type { TokenCounter } from "../../../../src/core/ports.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { finish } from "../../../support/agents.ts"
import { backgroundModel } from "../../../support/remembering.ts"
import { runs } from "../../../support/size.ts"
import { inspected } from "./inspected.ts"

const counter = await tiktokenCounter({ encoding: "o200k_base" })

describe("the borders of tokens", () => {
  test("cover a text and have as many tokens as it counts", () => {
    const texts = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.lorem({ maxCount: 12 }),
      fc.constant("展厅安静，猫在睡觉。".repeat(3)),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const found = tokenBorders(text, counter) ?? []
        const ends = found.map(({ end }) => end)
        expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b))
        expect(ends.at(-1) ?? 0).toBe(text.length)
        expect(found.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(counter.count(text))
      }),
      { numRuns: runs(50) },
    )
  })

  test("stand between words, and inside of a word of several tokens; a character of several is one", () => {
    const pieces = (text: string) => {
      let start = 0
      return (tokenBorders(text, counter) ?? []).map(({ end, tokens }) => {
        const own = text.slice(start, end)
        start = end
        return tokens === 1 ? own : [own, tokens]
      })
    }
    expect(pieces("Hello world")).toEqual(["Hello", " world"])
    for (const word of ["cal|m", "token|izer", "Lj|ubl|jana"]) expect(pieces(word.replaceAll("|", "")).join("|")).toBe(word)
    expect(pieces("antidisestablishmentarianism").join("|").split("|")).toHaveLength(
      counter.count("antidisestablishmentarianism"),
    )
    expect(pieces("𓀀")).toEqual([["𓀀", counter.count("𓀀")]])
  })

  test("are asked for by the page in bounds, and refused by a counter that does not tell", async () => {
    const { post } = inspected([], { agentOptions: { ports: { counter } } })
    expect(await (await post("api/tokens", { text: "Hello world" })).json()).toEqual({
      exact: true,
      runs: [
        { end: 5, tokens: 1 },
        { end: 11, tokens: 1 },
      ],
    })
    expect((await post("api/tokens", { text: "x".repeat(5_001) })).status).toBe(400)
    expect((await post("api/tokens", { text: 7 })).status).toBe(400)
    const plain: TokenCounter = { exact: false, count: (text) => text.length }
    expect((await inspected([], { agentOptions: { ports: { counter: plain } } }).post("api/tokens", { text: "x" })).status).toBe(
      409,
    )
  })
})

describe("what the store holds", () => {
  const from = { id: "ann", name: "Ann" }

  test("of a turn's user are its memories and facts, and what the turn wrote; of a store without memories nothing", async () => {
    const store = createInMemoryStore()
    const model = backgroundModel({ batch: '{"importance": 7, "profile": {"city": "Oslo"}}', profile: '{"city": "Oslo"}' })
    const { agent, session, get, post } = inspected([], {
      model,
      profile: { locale: "en", memory: { enabled: true, keys: false } },
      agentOptions: { store, onWarning: () => undefined },
    })
    const { turnId } = (await session.send("I live in Oslo.", { from }).result).trace
    await agent.idle()
    const facts = await get<StoredFacts>(`api/turns/${turnId}/stored`)
    expect(facts.memories.map(({ text, turnId: of }) => [text, of])).toContainEqual(["I live in Oslo.", turnId])
    expect(facts.statements).toMatchObject([{ name: "city", value: "Oslo", turnId }])
    const search = async (query: string) =>
      (await (await post(`api/turns/${turnId}/recall`, { query })).json()) as Record<"memories" | "others", { text: string }[]>
    const found = await search("Where is Oslo?")
    expect(found.memories.map(({ text }) => text)).toContain("I live in Oslo.")
    expect((await search("zzz")).others.map(({ text }) => text)).toContain("I live in Oslo.")
    const other = (await agent.session("bob").send("Hi", { from: { id: "bob", name: "Bob" } }).result).trace.turnId
    expect(await get(`api/turns/${other}/stored`)).toMatchObject({ memories: [], statements: [] })
  })

  test("are the agent's conversations, also those that another process holds, the newest first, with their newest messages", async () => {
    const store = createInMemoryStore()
    const { session, get, fetch } = inspected([finish("Hello Ann.")], { secrets: ["swordfish"], agentOptions: { store } })
    expect(await get("api/conversations")).toEqual([])
    const { turnId } = (await session.send("hi", { from }).result).trace
    const own = { agent: session.key.agent, conversation: "telegram swordfish", audience: "group" } as const
    const said = { role: "user", speaker: { id: "bob", name: "Bob" }, turnId, atMs: 9e12 } as const
    const texts = Array.from({ length: 201 }, (_, at) => ({ ...said, text: `It is swordfish ${at}.` }))
    await store.append(own, texts)
    const [newest, older] = await get<ShownConversation[]>("api/conversations")
    const last = { speaker: "Bob", text: "It is [secret] 200.", files: 0 }
    expect(newest).toMatchObject({ conversation: "telegram [secret]", audience: "group", newest: last })
    expect(older).toMatchObject({ audience: "private", newest: { speaker: "Fay", role: "assistant", text: "Hello Ann." } })
    const messages = await get<ShownMessage[]>(`api/conversations/${newest?.id}`)
    expect([messages.length, messages[0]?.text, messages.at(-1)]).toMatchObject([200, "It is [secret] 1.", last])
    await store.forget({ agent: own.agent, conversation: own.conversation })
    expect((await fetch(`api/conversations/${newest?.id}`)).status).toBe(404)
  })

  test("is shown without secrets", async () => {
    const store = createInMemoryStore()
    const { session, get } = inspected([finish("ok")], { secrets: ["swordfish"], agentOptions: { store } })
    const { turnId } = (await session.send("hi", { from }).result).trace
    const key = {
      ...(await get<{ session: { agent: string; conversation: string; audience: "private" } }>(`api/turns/${turnId}`)).session,
      user: "ann",
    }
    const said = { kind: "note", speaker: from, atMs: 1, turn: 0, turnId } as const
    await store.memories.put({ id: "m", ...key, ...said, text: "It is swordfish." }, { hash: "h", key })
    expect((await get<StoredFacts>(`api/turns/${turnId}/stored`)).memories).toMatchObject([{ text: "It is [secret]." }])
  })
})

test("the growth of a conversation is the first request of each of its turns by layers, with what was cut for the budget", async () => {
  const answers = ["a ".repeat(200), "b", "c", "d"].map(finish)
  const { agent, session, get } = inspected(answers, {
    profile: { dialect: "layered", locale: "en", budget: { tokens: 330, answerTokens: 100 } },
  })
  await session.send("one").result
  await agent.session("other").send("elsewhere").result
  session.stack.add({ key: "mood", content: "calm", scope: "session" })
  // A flag that no prompt file asks for was not cut for the budget.
  session.stack.add({ key: "at_sea", content: true, scope: "session" })
  const { trace } = await session.send("two").result
  const { steps, left } = await get<{ steps: GrowthStep[]; left: number }>(`api/turns/${trace.turnId}/growth`)
  expect(left).toBe(0)
  expect(steps.map(({ question }) => question)).toEqual(["one", "two"])
  const [, second] = steps
  expect(second?.tokens).toBe(trace.steps[0]?.assembly.tokens)
  expect(second?.layers.map(({ key }) => key)).toContain("mood")
  expect(second?.layers.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(second?.tokens)
  expect(trace.steps[0]?.assembly.decisions).toContainEqual(expect.objectContaining({ key: "at_sea", fate: "unplaced" }))
  expect(second?.cut.map(({ key }) => key)).not.toContain("at_sea")
  expect(second?.cut).toContainEqual({ key: "history", fate: expect.stringMatching(/shortened|dropped/u) })
})

test.each(["javascript:alert('{file}')", "data://{file}", "http://evil.test/{file}", "file://{file}", "vscode"])(
  "an address that is no editor's is refused: %s",
  (editor) => {
    expect(() => inspected([], { editor })).toThrow("expected an editor's address")
  },
)
