import { describe, expect, test } from "vitest"
import { demoModel } from "../../../../src/apps/cli/demo/demo-model.ts"
import type { ModelRequest, TurnFacts } from "../../../../src/core/model/language-model.ts"
import { collect } from "../../../support/collect.ts"
import { chineseTools } from "./tools.ts"

const facts: TurnFacts = {
  prompt: "planner",
  question: "帮我算 17*23",
  speaker: "主人",
  tools: chineseTools,
  runs: [],
  prestart: [],
  memories: [],
}

async function textOf(request: ModelRequest, locale?: "zh-CN" | "en"): Promise<string> {
  const model = demoModel(locale === undefined ? {} : { locale })
  const parts = await collect(model.stream(request, { signal: new AbortController().signal }))
  expect(parts.at(-1)).toEqual({ type: "finish", reason: "stop" })
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
}

describe("the demo model", () => {
  test("a planner request is answered in planner JSON, in small pieces", async () => {
    expect(JSON.parse(await textOf({ messages: [], facts }))).toEqual({
      action: "tool",
      tool: "calculate",
      args: { expression: "17*23" },
    })
    const parts = await collect(demoModel().stream({ messages: [], facts }, { signal: new AbortController().signal }))
    expect(parts.length).toBeGreaterThan(5)
  })

  test("a final output is answered in prose", async () => {
    const runs = [{ tool: "calculate", args: { expression: "17*23" }, result: "391", failed: false }]
    expect(await textOf({ messages: [], facts: { ...facts, prompt: "final", tools: [], runs } })).toBe("17*23 = 391。")
  })

  test("a request that no turn made is answered too", async () => {
    expect(await textOf({ messages: [{ role: "user", content: "hello" }] })).toMatch(/^Hello! I am the offline demo model/)
    expect(await textOf({ messages: [] })).toMatch(/offline demo model/)
  })

  test("a question that shows no language is answered in the one that was set", async () => {
    expect(await textOf({ messages: [{ role: "user", content: "?" }] }, "zh-CN")).toMatch(/离线演示模型/)
    expect(await textOf({ messages: [{ role: "user", content: "?" }] }, "en")).toMatch(/offline demo model/)
  })

  test("an aborted request stops with code aborted", async () => {
    const controller = new AbortController()
    const reading = (async () => {
      for await (const _ of demoModel().stream({ messages: [], facts }, controller)) controller.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: "aborted" })
  })
})
