import { cpSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { openDocuments } from "../src/node/living-documents.ts"
import { assemble } from "../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../src/testing/index.ts"
import { testAgent } from "./support/agents.ts"
import { golden, goldenFolder } from "./support/golden.ts"
import { tempFolder } from "./support/temp-folder.ts"
import { ran, said, turnState } from "./support/turns.ts"

const persona = new PromptStack([{ key: "persona", content: "你是一个名叫Fay的数字人助手...", scope: "global" }])

const tools = [
  defineTool({
    name: "query_weather",
    description: "查询天气信息",
    inputSchema: z.object({ city: z.string().describe("城市名称") }),
    execute: () => "",
  }),
  defineTool({
    name: "add_schedule",
    description: "添加日程",
    inputSchema: z.object({ title: z.string(), content: z.string(), schedule_time: z.string() }),
    execute: () => "",
  }),
]

describe("the golden texts", () => {
  test("T3 T4 T5 T6 T7 T8 T9 T11 the state of fay-planner.txt assembles to it byte for byte", () => {
    const turn = turnState("今天天气怎么样？", {
      tools,
      prestart: [{ tool: "query_weather", args: { city: "北京" }, result: "北京今日晴，气温 -2°C 至 8°C，空气质量良好" }],
      history: [said("user", "你好"), said("assistant", "主人，你好呀！有什么我可以帮你的吗？")],
    })
    const { messages } = assemble(persona, { dialect: "fay", locale: "zh-CN", prompt: "planner", turn })
    expect(messages).toEqual([
      { role: "system", content: "你负责规划下一步行动，请严格输出合法 JSON。" },
      { role: "user", content: golden("fay-planner.txt") },
    ])
  })

  test("T3 T4 T10 T12 the state of fay-final.txt assembles to it byte for byte, without a system message", () => {
    const turn = turnState("帮我设置一个明天早上9点的闹钟", {
      tools,
      runs: [ran("add_schedule", { title: "早起闹钟", schedule_time: "09:00" }, "日程添加成功，ID: 15")],
    })
    const { messages } = assemble(persona, { dialect: "fay", locale: "zh-CN", prompt: "final", turn })
    expect(messages).toEqual([{ role: "user", content: golden("fay-final.txt") }])
  })

  test.each(["native", "planner"])(
    "D6 D7 D9 the workspace of soul-*.txt makes their system message in %s, byte for byte",
    async (prompt) => {
      const folder = tempFolder()
      cpSync(`${goldenFolder}soul-workspace`, folder, { recursive: true })
      const { hook } = await openDocuments(folder, { locale: "zh-CN" })
      const { session } = testAgent(scriptedModel([]), { dialect: "soul", persona: "" }, { hooks: [hook] })
      const system = async () => (await session.preview("你好", { prompt })).messages[0]
      expect(await system()).toEqual({ role: "system", content: golden("soul-on.txt") })
      await session.setMemory(false)
      expect(await system()).toEqual({ role: "system", content: golden("soul-off.txt") })
    },
  )
})
