import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { createUserProfileService } from "../../../src/memory/services/create-user-profile-service.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { testAgent } from "../../support/agents.ts"
import { backgroundModel, outcomesOf } from "../../support/remembering.ts"

const key = { agent: "test", conversation: "test", audience: "private", user: "test" } as const

test.each([
  [undefined, ["evening", "night"]],
  ["Asia/Shanghai", ["evening"]],
])("T31 recalls by the days of the profile's time zone: %s", async (timeZone, expected) => {
  const store = createInMemoryStore()
  const { session } = testAgent(backgroundModel(), { ...(timeZone && { timeZone }) }, { store })
  const of = { ...key, agent: session.key.agent }
  for (const [id, hour] of [
    ["evening", 10],
    ["night", 17],
  ] as const) {
    const atMs = Date.UTC(2026, 0, 1, hour)
    const memory = {
      id,
      kind: "dialogue",
      text: "Plain talk.",
      speaker: { id: "test", name: "T" },
      atMs,
      turnId: id,
      turn: 0,
    } as const
    await store.memories.put({ ...of, ...memory, importance: 5 }, { hash: id, key: of })
  }
  const { trace } = await session.send("What was said yesterday?").result
  const matches = trace.recalled?.map(({ id, why }) => [id, why?.find(({ signal }) => signal === "time")?.value])
  const best = Math.max(...(matches ?? []).map(([, value]) => Number(value)))
  expect(matches?.flatMap(([id, value]) => (value === best ? [id] : [])).sort()).toEqual(expected)
})

describe("T32 services.importance and services.facts", () => {
  test("judge and learn in place of the model, which is then asked for nothing", async () => {
    const store = createInMemoryStore()
    const model = backgroundModel()
    const given: string[] = []
    const services = {
      importance: (messages: readonly { readonly text: string }[]) => {
        given.push(messages.map(({ text }) => text).join("/"))
        return 70
      },
      facts: async () => ({ city: "Oslo", job: null }),
    }
    const { agent, session } = testAgent(model, { memory: { reflectEvery: 0 } }, { store, services })
    const { trace } = await session.send("I moved to Oslo.").result
    await agent.idle()
    const receipts = await store.receipts.ofTurn(trace.turnId, { ...key, agent: session.key.agent })
    expect(outcomesOf(receipts)).toEqual(["importance ok", "profile ok", "store ok", "reflect skipped"])
    expect(receipts[0]?.message).toBe("importance 10")
    expect(given).toEqual(["I moved to Oslo./I see."])
    expect(model.asked.map(({ facts }) => facts?.background)).toEqual([undefined])
    const { fields } = await createUserProfileService({ records: store.users }).get({ ...key, agent: session.key.agent })
    expect(fields.map(({ name, value }) => [name, value])).toEqual([["city", "Oslo"]])
  })

  test("each takes only its own part from the model", async () => {
    const store = createInMemoryStore()
    const model = backgroundModel({ batch: '{"importance": 7, "profile": {"city": "Rome"}}' })
    const settings = { dialect: "layered", memory: { batchTurns: 2, reflectEvery: 0 } } as const
    const { agent, session } = testAgent(model, settings, { store, services: { facts: () => ({ city: "Oslo" }) } })
    for (const words of ["I moved to Oslo.", "It rains."]) await session.send(words).result
    await agent.idle()
    expect(model.count("importance")).toBeGreaterThan(0)
    expect([model.count("importance-and-profile"), model.count("user-profile")]).toEqual([0, 0])
    const { fields } = await createUserProfileService({ records: store.users }).get({ ...key, agent: session.key.agent })
    expect(fields.map(({ value }) => value)).toEqual(["Oslo"])
  })

  test("an importance that is no number, or an error, fails the step and not the turn", async () => {
    const store = createInMemoryStore()
    const services = { importance: () => Number.NaN, facts: () => Promise.reject(new Error("no parser")) }
    const warnings: string[] = []
    const onWarning = ({ message }: { readonly message: string }) => void warnings.push(message)
    const { agent, session } = testAgent(backgroundModel(), {}, { store, services, onWarning })
    const { ok, trace } = await session.send("I moved to Oslo.").result
    await agent.idle()
    const receipts = await store.receipts.ofTurn(trace.turnId, { ...key, agent: session.key.agent })
    expect([ok, ...outcomesOf(receipts).slice(0, 2)]).toEqual([true, "importance failed", "profile failed"])
    expect(warnings.join()).toMatch(/services\.importance.*found NaN.*no parser/s)
  })
})

describe("[memory.model]", () => {
  test("T32 a model of its own does the work behind turns; if it fails, the agent's does", async () => {
    const asks = async (memory: ReturnType<typeof backgroundModel>) => {
      const store = createInMemoryStore()
      const model = backgroundModel()
      const { agent, session } = testAgent(model, { memory: { reflectEvery: 0 } }, { store, models: { memory } })
      const { trace } = await session.send("I moved to Oslo.").result
      await agent.idle()
      const receipts = await store.receipts.ofTurn(trace.turnId, { ...key, agent: session.key.agent })
      return { asked: [model.count("importance"), memory.count("importance")], by: receipts[0]?.model }
    }
    const small = { ...backgroundModel(), id: "small" }
    expect(await asks(small)).toEqual({ asked: [0, 1], by: "small" })
    const broken = backgroundModel({
      importance: () => {
        throw new PromptStrataError("model", "down")
      },
    })
    expect(await asks(broken)).toEqual({ asked: [1, 1], by: "background" })
  })
})

describe("an agent over a whole store", () => {
  test("T31 judges, profiles, stores after the turn, with a receipt for each, and recalls in another conversation", async () => {
    const store = createInMemoryStore()
    const model = backgroundModel({ profile: '{"城市": "杭州"}' })
    const { agent, session } = testAgent(model, {}, { store })
    const first = await session.send("我住在杭州，喜欢龙井茶").result
    expect(first.ok).toBe(true)
    await agent.idle()
    const receipts = await store.receipts.ofTurn(first.trace.turnId, { ...key, agent: session.key.agent })
    expect(outcomesOf(receipts)).toEqual(["importance ok", "profile ok", "store ok", "reflect skipped"])
    const later = await agent.session("another").send("我喜欢喝什么茶？", { from: { id: "test" } }).result
    expect(later.trace.recalled?.map(({ text }) => text)).toContain("我住在杭州，喜欢龙井茶")
    const prompt =
      model.asked
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join("\n") ?? ""
    expect(prompt).toContain("城市: 杭州")
    expect(prompt).toContain("喜欢龙井茶")
    expect(prompt).toMatchInlineSnapshot(`
      "你负责规划下一步行动，请严格输出合法 JSON。
      **提问内容**
      主人：
      \`\`\`
      我喜欢喝什么茶？
      \`\`\`
      ---
      **系统设定**
      你是Fay。
      ---

      **额外观察**
      主人说过的关于自己的事：
      城市: 杭州
      ---

      **关联记忆**
      主人（20260102 3:04）：
      我住在杭州，喜欢龙井茶
      Fay（20260102 3:04）：
      I see.
      ---

      **可用工具**
      （暂无可用工具）
      ---

      **历史工具执行**
      （无）
      ---

      **最近对话**
      （暂无对话）
      ---

      请返回 JSON，格式如下：
      - 若需要调用工具：
          {"action": "tool", "tool": "工具名", "args": {...}}
      - 若直接回复（需附带回复内容）：
          {"action": "finish", "message": "你的回复内容"}"
    `)
  })
})
