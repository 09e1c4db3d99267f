import { describe, expect, test } from "vitest"
import { z } from "zod"
import { createBot } from "../../../../src/apps/bots/create-bot.ts"
import type { WaitingCalls } from "../../../../src/apps/server/inspector/api.ts"
import type { ChatFacts } from "../../../../src/apps/server/inspector/chat-routes.ts"
import type { ShownConversation } from "../../../../src/apps/server/inspector/stored-routes.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { manualClock, manualTimers, scriptedModel } from "../../../../src/testing/index.ts"
import { picture } from "../../../examples/support/picture.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { inspected } from "./inspected.ts"

const pay = defineTool({
  ...{ name: "pay", description: "Sends money.", needsApproval: true, inputSchema: z.object({}), execute: () => "paid" },
})
const from = { id: "ben", name: "Ben" }

/** An inspector beside the store of a bot that has ended, in whose conversation a call waits. */
async function besideBot({ chat = true, ports = {} } = {}) {
  const store = createInMemoryStore({ ports })
  const parts = inspected([callTool("pay", {})], { chat, agentOptions: { store, tools: [pay], ports } })
  const said: string[] = []
  const start = (answers: readonly string[]) =>
    createBot({
      profile: resolveProfile({ agent: { id: parts.session.key.agent }, memory: { enabled: false } }),
      ...{ model: scriptedModel(answers), store, tools: [pay] },
      chat: () => ({ limit: 4096, sendText: (text) => void said.push(text) }),
    })
  const bot = start([callTool("pay", {})])
  await bot.take({ conversation: "telegram:7", audience: "private" }, { id: "1", text: "Pay.", from })
  await bot.idle()
  await bot.close()
  const [{ id = "" } = {}] = await parts.get<ShownConversation[]>("api/conversations")
  const calls = () => parts.get<WaitingCalls>(`api/conversations/${id}/approvals`)
  const answer = (code: string, body: unknown) => parts.post(`api/conversations/${id}/approvals/${code}`, body)
  return { ...parts, start, said, calls, answer, code: (await calls()).approvals[0]?.code ?? "" }
}

describe("N30 a call that waits in a stored conversation", () => {
  test("is answered by the bot that starts next, and once", async () => {
    const { start, said, calls, answer, code } = await besideBot()
    expect(await calls()).toMatchObject({ mayAnswer: true, approvals: [{ tool: "pay", mayAnswer: from, isOver: false }] })
    expect((await answer("B2C3D4", { approved: true })).status).toBe(409)
    expect((await answer(code, { approved: "yes" })).status).toBe(400)
    expect((await answer(code, { approved: true })).status).toBe(200)
    const again = await answer(code, { approved: false })
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining("answered already")])
    expect(said).toHaveLength(1)
    const bot = start([finish("Paid.")])
    await expect.poll(() => said.at(-1)).toBe("Paid.")
    await bot.close()
    expect((await calls()).approvals).toEqual([])
  })

  test("is only shown where nobody may chat, and where no bot would take the answer", async () => {
    const closed = await besideBot({ chat: false })
    expect(await closed.calls()).toMatchObject({ mayAnswer: false, approvals: [{ tool: "pay" }] })
    expect((await closed.answer(closed.code, { approved: true })).status).toBe(403)
    const { session, get, post } = inspected([callTool("pay", {})], {
      chat: true,
      agentOptions: { store: createInMemoryStore(), tools: [pay] },
    })
    await session.send("Pay.", { from }).result
    const [{ id = "" } = {}] = await get<ShownConversation[]>("api/conversations")
    const { approvals, mayAnswer } = await get<WaitingCalls>(`api/conversations/${id}/approvals`)
    expect([mayAnswer, approvals.length]).toEqual([false, 1])
    const refused = await post(`api/conversations/${id}/approvals/${approvals[0]?.code}`, { approved: true })
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("where it was asked")])
  })
})

test("N35 the reminders of those who spoke stand beside their conversation, and those of the page's user beside the chat", async () => {
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const bot = await besideBot({ ports: { clock, timers: manualTimers(clock) } })
  const { agent, get, post, calls } = bot
  const daily = { timeZone: "Asia/Shanghai", repeat: "daily" }
  const there = agent.session({ conversation: "telegram:7", audience: "private" })
  await there.wakeAt("2026-01-03 09:00", "drink water", { ...daily, from })
  await there.wakeAt("2026-01-03 09:00", "of another", { ...daily, from: { id: "eve" } })
  const text = "2026-01-03 09:00 (Asia/Shanghai, 每天 09:00) drink water"
  expect((await calls()).reminders).toEqual([{ id: expect.any(String), text }])
  const { reminders: none } = await get<ChatFacts>("api/chat")
  expect(none).toEqual([])
  await agent.session("inspector").wakeAt("2026-01-03 09:00", "call home", { timeZone: "UTC", from: { id: "inspector" } })
  const { reminders } = await get<ChatFacts>("api/chat")
  expect(reminders).toMatchObject([{ text: "2026-01-03 09:00 (UTC) call home" }])
  await post("api/chat", { text: `/schedule cancel ${reminders[0]?.id}` })
  expect((await get<ChatFacts>("api/chat")).reminders).toEqual([])
})

test("N31 the page's chat takes files as data alone", async () => {
  const model = scriptedModel([finish("A dot.")], { capabilities: { attachments: ["image/*"] } })
  const { agent, post } = inspected([], { chat: true, model })
  const url = `data:image/png;base64,${picture.toString("base64")}`
  for (const files of [[{ name: "a.png", url: "https://example.com/a.png" }], [{ url }], "a.png", [null]])
    expect((await post("api/chat", { text: "Look.", files })).status).toBe(400)
  expect((await post("api/chat", { text: "", files: [{ name: "dot.png", url }] })).status).toBe(200)
  await agent.idle()
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('"mediaType":"image/png"')
})

test.each([true, false])("N43 a question in the middle of a tool's work waits where somebody may chat: %s", async (chat) => {
  const ask = defineTool({
    ...{ name: "ask", description: "Asks.", inputSchema: z.object({}) },
    execute: async (_, { confirm, signal }) => ((await confirm?.({ tool: "ask", summary: "?" }, signal)) ? "yes" : "refused"),
  })
  const { session } = inspected([callTool("ask", {}), finish("Well.")], { chat, agentOptions: { tools: [ask] } })
  expect(await session.send("Ask.").result).toMatchObject({ ok: true, stopReason: chat ? "awaiting-approval" : "finish" })
})
