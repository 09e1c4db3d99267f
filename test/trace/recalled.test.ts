import { expect, test } from "vitest"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { printTrace } from "../../src/trace/print-trace.ts"
import { testAgent } from "../support/agents.ts"
import { backgroundModel } from "../support/remembering.ts"

test("printTrace tells of each recalled memory who said it and why it was found, and of words nothing that moves a terminal", async () => {
  const store = createInMemoryStore()
  const { agent, session } = testAgent(backgroundModel(), {}, { store })
  const from = { id: "ann", name: "主人" }
  await session.send("I like tea\u001b[2J from\nHangzhou", { from }).result
  await agent.idle()
  const { trace } = await agent.session("another").send("do I like tea?", { from }).result
  const lines = printTrace(trace)
    .split("\n")
    .filter((line) => line.startsWith("recalled"))
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^recalled 主人: I like tea.*Hangzhou · \d\.\d\d \(\w+ \d+ %, .*\)$/)
  expect(lines.join("")).not.toContain("\u001b")
})
