import { afterAll, beforeAll, expect, test } from "vitest"
import { openPostgresStore } from "../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"
import { makeDatabase } from "./support/database.ts"

let url = ""
beforeAll(async () => {
  url = await makeDatabase()
})
const opened: { close(): Promise<void> }[] = []
afterAll(() => Promise.all(opened.map((store) => store.close())))

async function process(steps: readonly string[], ran: string[]) {
  const store = await openPostgresStore({ url, maxConnections: 2, onWarning: () => undefined })
  opened.push(store)
  const pay = defineTool({ name: "pay", description: "pays", needsApproval: true, execute: () => `${ran.push("paid")}` })
  return testAgent(scriptedModel(steps), { dialect: "layered" }, { store, tools: [pay], runJobs: false }).session
}

test("of two processes that allow a call at the same time, one runs it", async () => {
  const ran: string[] = []
  const asked = await (await process([callTool("pay")], ran)).send("Pay.").result
  const id = (asked.ok && asked.approvals?.[0]?.id) || ""
  const both = [await process([finish("Paid.")], ran), await process([finish("Paid.")], ran)]
  const results = await Promise.all(both.map((session) => session.approve(id).result))
  expect(results.map(({ ok }) => ok).sort()).toEqual([false, true])
  expect(results.find(({ ok }) => !ok)).toMatchObject({ error: { code: "approval" } })
  expect(ran).toEqual(["paid"])
})
