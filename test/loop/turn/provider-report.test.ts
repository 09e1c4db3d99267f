import { expect, test } from "vitest"
import { scriptedModel } from "../../../src/testing/index.ts"
import { printTrace } from "../../../src/trace/index.ts"
import { collect, finish, testAgent } from "../../support/agents.ts"

test("T46 what a provider tells of its answer stands in the event and the trace of its step, and its price in the usage", async () => {
  const report = { model: "small-2026", serviceTier: "flex", citations: ["https://a.example/"] }
  const model = scriptedModel([
    [finish("好"), { type: "report", report }, { type: "usage", usage: { inputTokens: 3, costUsd: 0.002 } }],
  ])
  const turn = testAgent(model).session.send("你好")
  const events = await collect(turn)
  const { trace } = await turn.result
  expect(events.filter(({ type }) => type === "step-end")).toMatchObject([{ report }])
  expect(trace.steps).toMatchObject([{ report }])
  expect(trace.usage).toEqual({ inputTokens: 3, costUsd: 0.002 })
  expect(trace.warnings).toEqual([])
  expect(printTrace(trace)).toContain("(as small-2026)")
})
