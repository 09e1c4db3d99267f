import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import type { TurnRecord, TurnSummary } from "../../../../src/apps/server/inspector/turn-record.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { inspected } from "./inspected.ts"

test("a turn that waits for an approval has one record on the disk, also when it goes on after a restart", async () => {
  const [folder, store] = [tempFolder(), createInMemoryStore()]
  const pay = defineTool({ name: "pay", description: "Pays.", needsApproval: true, execute: () => "paid" })
  const started = (answers: readonly string[], atMs: number) =>
    inspected(answers, {
      keep: { folder },
      agentOptions: { store, tools: [pay], ports: { clock: manualClock(Date.UTC(2026, 0, 2) + atMs) } },
    })
  const kept = async () => {
    const { get } = started([], 0)
    const { turns } = await get<{ turns: TurnSummary[] }>("api/turns")
    return Promise.all(turns.map(async ({ id }) => [(await get<TurnRecord>(`api/turns/${id}`)).answer, id]))
  }
  const first = started([callTool("pay"), finish("One."), callTool("pay")], 1_000)
  const allow = async ({ session }: typeof first) => session.approve((await session.approvals())[0]?.id ?? "").result
  const one = (await first.session.send("Pay.").result).trace.turnId
  await expect.poll(() => readdirSync(folder).filter((name) => name.endsWith(".json"))).toHaveLength(1)
  await allow(first)
  const two = (await first.session.send("Pay again.").result).trace.turnId
  await first.made.close()
  expect(await kept()).toEqual([
    ["", two],
    ["One.", one],
  ])
  const second = started([finish("Two.")], 2_000)
  await allow(second)
  await second.made.close()
  expect(await kept()).toEqual([
    ["Two.", two],
    ["One.", one],
  ])
})
