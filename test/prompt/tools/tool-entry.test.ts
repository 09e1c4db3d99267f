import { describe, expect, test } from "vitest"
import { isEncodedText } from "../../../src/prompt/encode/marked-text.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { Tool } from "../../../src/prompt/tools/tool.ts"
import { toolEntry } from "../../../src/prompt/tools/tool-entry.ts"

const jsonSchema = { type: "object", properties: { city: { type: "string", description: "城市, 名称" } }, required: ["city"] }
const weather = (trust: Tool["trust"], usageHint?: string): Tool =>
  defineTool({
    name: "query_weather",
    description: "查询天气信息",
    jsonSchema,
    trust,
    ...(usageHint ? { usageHint } : {}),
    execute: () => "",
  })

test("a parameter of a few values has them behind its type, be it one alone (L6)", () => {
  const properties = { one: { type: "string", enum: ["a"] }, two: { type: "string", enum: ["a", "b"] }, free: { type: "string" } }
  const tool = defineTool({ name: "t", description: "d", jsonSchema: { type: "object", properties }, execute: () => "" })
  expect(toolEntry(tool, { optional: "optional" })).toMatchObject({
    parameters: { text: "one (string: a, optional), two (string: a|b, optional), free (string, optional)" },
  })
})

describe("toolEntry (T9, L6)", () => {
  test("puts further lines of a description and a hint below the first one's text", () => {
    const tool = defineTool({ name: "t", description: "One.\nTwo.", usageHint: "Now.\nThen.", execute: () => "" })
    expect(toolEntry(tool, { optional: "optional" })).toMatchObject({
      description: { text: "One.\n  Two.", trust: "author" },
      hint: { text: "Now.\n  Then.", trust: "author" },
    })
  })

  test("an author's tool stands as it is", () => {
    expect(toolEntry(weather("author", "用户问天气时"), { optional: "可选" })).toEqual({
      name: { text: "query_weather", trust: "author" },
      description: { text: "查询天气信息", trust: "author" },
      parameters: { text: "city (string) - 城市, 名称", trust: "author" },
      hint: { text: "用户问天气时", trust: "author" },
      owed: false,
    })
  })

  test("a wire tool's texts keep their trust and its parameters are encoded once, piece by piece", () => {
    const entry = toolEntry(weather("tool"), { optional: "可选" })
    expect(entry).toMatchObject({
      name: { trust: "tool" },
      description: { trust: "tool" },
      parameters: { text: 'city (string) - "城市, 名称"', trust: "tool" },
      hint: { text: "", trust: "tool" },
    })
    expect(isEncodedText(entry.parameters as { text: string; trust: "tool" })).toBe(true)
  })

  test("the entry of a tool is the same object until the dialect's words differ", () => {
    const tool = defineTool({
      name: "note",
      description: "",
      jsonSchema: { type: "object", properties: { text: { type: "string" } } },
      execute: () => "",
    })
    const entry = toolEntry(tool, { optional: "optional" })
    expect(toolEntry(tool, { optional: "optional" })).toBe(entry)
    expect(toolEntry(tool, { optional: "可选" }).parameters).toMatchObject({ text: "text (string, 可选)" })
    expect(toolEntry({ ...tool, description: "Keeps a note." }, { optional: "optional" }).description).toMatchObject({
      text: "Keeps a note.",
    })
  })
})
