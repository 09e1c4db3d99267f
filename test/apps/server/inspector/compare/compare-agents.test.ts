import { describe, expect, test } from "vitest"
import type { AgentComparison } from "../../../../../src/apps/server/inspector/compare/compare-agents.ts"
import { createInMemoryStore } from "../../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { finish } from "../../../../support/agents.ts"
import { inspected } from "../inspected.ts"
import { differing } from "./differing.ts"

const profile = { dialect: "layered", locale: "en", persona: "You are Fay." } as const

function comparing(answers: Parameters<typeof differing>[0] = {}) {
  const store = createInMemoryStore()
  const { variant, models, closed } = differing(answers)
  const prices = { calm: { input: 10, output: 20 }, wild: { input: 1, output: 2 } }
  const all = inspected([finish("It is open.")], { profile, variant, prices, agentOptions: { store } })
  const compare = async (body: object) => {
    const answer = await all.post("api/compare", body)
    return { status: answer.status, found: (await answer.json()) as AgentComparison }
  }
  return { ...all, compare, models, closed, store }
}

describe("two agents", () => {
  test("assemble a recorded turn side by side, and no model is asked; what it would cost is said", async () => {
    const { session, compare, models, closed } = comparing()
    const { turnId } = (await session.send("Is it open?").result).trace
    const { found } = await compare({ turn: turnId, left: { model: "calm" }, right: { model: "wild", dialect: "stack" } })
    expect(found).toMatchObject({
      a: { question: "Is it open?", outcome: { state: "previewed" }, requests: [{ model: "calm" }] },
      b: { requests: [{ model: "wild" }] },
      estimates: { a: { model: "calm" }, b: { model: "wild" } },
    })
    expect(found.request?.change.outcome).toBe("changed")
    const { a } = found.estimates
    expect(a.readCost).toBeCloseTo((a.readTokens * 10) / 1_000_000, 12)
    expect(a.answerCost).toBeCloseTo((a.answerTokens * 20) / 1_000_000, 12)
    expect(models.asked).toEqual([])
    expect(closed).toEqual(["wild", "calm"])
    const same = await compare({ turn: turnId, left: { model: "calm" }, right: { model: "calm" } })
    expect(same.found.request?.change.outcome).toBe("none")
  })

  test("answer a question that nobody asked, and keep nothing of it", async () => {
    const { compare, get, models, store } = comparing({ calm: "I am calm.", wild: "I am wild!" })
    const body = { question: "How are you?", left: { model: "calm" }, right: { model: "wild" } }
    expect((await compare(body)).found.a.answer).toBe("")
    expect(models.asked).toEqual([])
    const { found } = await compare({ ...body, run: true })
    expect(found).toMatchObject({
      a: { answer: "I am calm.", calls: 1, cost: expect.any(Number), outcome: { state: "answered" } },
      b: { answer: "I am wild!", calls: 1 },
    })
    expect([...models.asked].sort()).toEqual(["calm", "wild"])
    expect(await get("api/turns")).toMatchObject({ turns: [] })
    expect(await store.load(found.a.session)).toBeUndefined()
  })

  test("that are one and the same agent need no change", async () => {
    const { session, compare } = comparing()
    const { turnId } = (await session.send("Is it open?").result).trace
    expect((await compare({ turn: turnId })).found.request?.change.outcome).toBe("none")
  })

  test("are refused by name: no turn, two kinds of question, an unknown change, an agent that cannot be made", async () => {
    const { compare, closed, post } = comparing()
    const refusal = async (body: object) => {
      const { status, found } = await compare(body)
      return [status, (found as unknown as { error: { param: string } }).error.param]
    }
    expect(await refusal({})).toEqual([400, "turn"])
    expect(await refusal({ turn: "x", question: "y" })).toEqual([400, "turn"])
    expect(await refusal({ question: " " })).toEqual([400, "question"])
    expect(await refusal({ question: "x".repeat(20_001) })).toEqual([400, "question"])
    expect(await refusal({ question: "x", run: 1 })).toEqual([400, "run"])
    expect(await refusal({ question: "x", left: { budget: "1" } })).toEqual([400, "change.budget"])
    const { status, found } = await compare({ question: "x", left: { model: "calm" }, right: { profile: "nobody" } })
    expect([status, found]).toEqual([
      422,
      { side: "right", problem: { code: "usage", message: expect.stringContaining("nobody") } },
    ])
    expect(closed).toEqual(["calm"])
    expect((await post("api/compare", { question: "x".repeat(1_100_000) })).status).toBe(413)
    const without = inspected([], { profile })
    expect((await without.post("api/compare", { question: "x", left: { model: "calm" } })).status).toBe(403)
  })
})
