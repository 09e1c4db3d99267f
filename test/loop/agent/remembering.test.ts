import { describe, expect, test } from "vitest"
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
