import { afterAll, beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { openPostgresStore } from "../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import { createBot } from "../../../../src/apps/bots/create-bot.ts"
import type { WaitingCalls } from "../../../../src/apps/server/inspector/api.ts"
import type { ShownConversation } from "../../../../src/apps/server/inspector/stored-routes.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { inspected } from "../../../apps/server/inspector/inspected.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { makeDatabase } from "./support/database.ts"

let url = ""
beforeAll(async () => {
  url = await makeDatabase()
})
const opened: { close(): Promise<void> }[] = []
afterAll(() => Promise.all(opened.map((store) => store.close())))

async function open() {
  const store = await openPostgresStore({ url, maxConnections: 3, onWarning: () => undefined })
  opened.push(store)
  return store
}

const from = { id: "ben", name: "Ben" }

test("N30 a bot takes up the answers of an operator on the page of another process: while it runs, and when it starts", async () => {
  const ran: string[] = []
  const execute = () => `${ran.push("paid")}`
  const pay = defineTool({ name: "pay", description: "pays", needsApproval: true, inputSchema: z.object({}), execute })
  const page = inspected([], { chat: true, agentOptions: { store: await open(), tools: [pay] } })
  const said: string[] = []
  const start = async (steps: readonly string[]) =>
    createBot({
      profile: resolveProfile({ agent: { id: page.session.key.agent }, memory: { enabled: false } }),
      ...{ model: scriptedModel(steps), store: await open(), tools: [pay] },
      chat: () => ({ limit: 4096, sendText: (text) => void said.push(text) }),
    })
  const conversation = { conversation: "telegram:7", audience: "private" } as const
  const allow = async () => {
    const [{ id = "" } = {}] = await page.get<ShownConversation[]>("api/conversations")
    const path = `api/conversations/${id}/approvals`
    const { approvals, mayAnswer } = await page.get<WaitingCalls>(path)
    expect(mayAnswer).toBe(true)
    const send = () => page.post(`${path}/${approvals[0]?.code}`, { approved: true })
    return (await Promise.all([send(), send()])).map(({ status }) => status).sort()
  }
  const bot = await start([callTool("pay", {}), finish("Paid."), callTool("pay", {})])
  await bot.take(conversation, { id: "1", text: "Pay.", from })
  await bot.idle()
  expect(await allow()).toEqual([200, 409])
  await expect.poll(() => said.at(-1)).toBe("Paid.")
  await bot.take(conversation, { id: "2", text: "Pay again.", from })
  await bot.idle()
  await bot.close()
  expect(await allow()).toEqual([200, 409])
  expect(ran).toHaveLength(1)
  const next = await start([finish("Paid again.")])
  await expect.poll(() => said.at(-1)).toBe("Paid again.")
  await next.close()
  expect(ran).toHaveLength(2)
})
