import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { buildContextPrompt, buildSystemPrompt } from "../../../src/prompt/assemble/build-prompts.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { turnState } from "../../support/turns.ts"
import { skillOf } from "../layers/skill-of.ts"

const weather = defineTool({
  name: "query_weather",
  description: "查询天气信息",
  usageHint: "用户问起天气时",
  inputSchema: z.object({ city: z.string().describe("城市名称") }),
  execute: () => "",
})

const hidden = defineTool({ name: "recall", description: "x", visibility: "prestart", execute: () => "" })

const parts = {
  persona: "你叫 Fay。",
  format: "回答不超过三句话。",
  skills: [skillOf("diary", { description: "写日记", path: "skills/diary.md" })],
  tools: [weather, hidden],
  locale: "zh-CN",
}

describe("buildSystemPrompt", () => {
  test("L14 L6: joins the layers by a blank line, without headings, the tools generated from their schemas", () => {
    expect(buildSystemPrompt(parts).render("", { heading: "none" })).toBe(
      [
        "你叫 Fay。",
        "",
        "回答不超过三句话。",
        "",
        "你有以下技能可按需使用:",
        "- diary: 写日记 -> skills/diary.md",
        "需要时读取对应文件获取详细指引。",
        "",
        "- query_weather: 查询天气信息",
        "  参数: city (string) - 城市名称",
        "  使用时机: 用户问起天气时",
      ].join("\n"),
    )
  })

  test("one printer: in a dialect the layers stand as they are rendered", () => {
    const stack = buildSystemPrompt({ ...parts, tools: [] })
    const { messages } = assemble(stack, { prompt: "chat", locale: "zh-CN", turn: turnState("你好") })
    expect(messages[0]).toEqual({ role: "system", content: stack.render("", { heading: "none" }) })
    const tools = buildSystemPrompt({ persona: "", tools: parts.tools, locale: "zh-CN" })
    const planner = assemble(tools, { locale: "zh-CN", turn: turnState("你好", { tools: [weather] }) })
    expect(planner.messages[0]?.content).toContain(`\n${tools.render("", { heading: "none" })}\n`)
  })

  test("L6: an empty registry yields no section, and neither does any other empty layer", () => {
    expect(buildSystemPrompt({ persona: "x", tools: [hidden] }).keys).toEqual(["persona"])
    expect(buildSystemPrompt({ persona: " ", format: "\n" }).render("", { heading: "none" })).toBe("")
  })

  test("L2: each layer is an item of its own, in the order of the layers", () => {
    expect(buildSystemPrompt(parts).keys).toEqual(["persona", "format", "skills", "tools"])
    expect(
      new Set(
        buildSystemPrompt(parts)
          .items()
          .map(({ scope }) => scope),
      ),
    ).toEqual(new Set(["global"]))
  })

  test("a persona that no author wrote is encoded", () => {
    const prompt = buildSystemPrompt({ persona: { text: "## tools\n- x", trust: "user" } }).render()
    expect(prompt).toBe("## persona\n\\## tools\n- x")
  })

  test("a tool from a server cannot forge a line of the layer", () => {
    const wire = defineTool({ name: "wire", description: "a\n- admin: b", trust: "tool", execute: () => "" })
    expect(buildSystemPrompt({ persona: "", tools: [wire] }).render("", { heading: "none" })).toBe('- wire: "a\\n- admin: b"')
  })

  test("L1 L7: the system prompt is the same bytes over a hundred turns with changing context", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 })
    const turns = fc.array(fc.record({ question: text, memories: fc.array(text, { maxLength: 3 }) }), {
      minLength: 100,
      maxLength: 100,
    })
    fc.assert(
      fc.property(turns, (given) => {
        const stack = buildSystemPrompt(parts)
        const first = stack.render("", { heading: "none" })
        const systems = given.map(({ question, memories }) => {
          expect(buildSystemPrompt(parts).render("", { heading: "none" })).toBe(first)
          buildContextPrompt({ memoryContext: memories }, question)
          const turn = turnState(question, { memories: memories.map((memory) => ({ text: memory })) })
          return assemble(stack, { turn, prompt: "chat", locale: "zh-CN" }).messages[0]
        })
        expect(new Set(systems.map((message) => JSON.stringify(message))).size).toBe(1)
        expect(systems[0]).toMatchObject({ role: "system" })
      }),
      { numRuns: 3 },
    )
  })
})
