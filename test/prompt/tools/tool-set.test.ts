import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { Tool } from "../../../src/prompt/tools/tool.ts"
import { createToolSet } from "../../../src/prompt/tools/tool-set.ts"

const tool = (name: string, visibility: Tool["visibility"] = "planner", description = name): Tool =>
  defineTool({ name, description, visibility, execute: () => name })

describe("createToolSet", () => {
  const set = createToolSet([
    tool("query_weather"),
    tool("add_schedule"),
    tool("warm_up", "prestart"),
    tool("__proto__"),
    tool("天气"),
  ])

  test("finds a tool by its exact name", () => {
    expect(set.get("query_weather")?.name).toBe("query_weather")
    expect(set.get("Query_Weather")).toBeUndefined()
    expect(set.tools.map(({ name }) => name)).toEqual(["query_weather", "add_schedule", "warm_up", "__proto__", "天气"])
  })

  test("T27: the planner neither sees nor calls a prestart-only tool", () => {
    expect(set.plannerTools.map(({ name }) => name)).not.toContain("warm_up")
    expect(set.plannerTool("warm_up")).toBeUndefined()
    expect(set.get("warm_up")?.name).toBe("warm_up")
  })

  test.each(["constructor", "toString", "hasOwnProperty", ""])("%j is no tool", (name) => expect(set.get(name)).toBeUndefined())

  test("a tool may be called __proto__ and is found only where there is one", () => {
    expect(set.get("__proto__")?.name).toBe("__proto__")
    expect(createToolSet([]).get("__proto__")).toBeUndefined()
  })

  test("two tools of one name are an error that names both", () => {
    const make = () => createToolSet([tool("a", "planner", "first"), tool("b"), tool("a", "prestart", "second")])
    expect(make).toThrow(PromptStrataError)
    expect(make).toThrow(
      expect.objectContaining({ code: "tool-collision", message: expect.stringMatching(/"a".*"first".*"second"/s) }),
    )
    expect(make).toThrow("Rename one or leave it out.")
  })

  test("a tool with the name of a built-in one is an error that says how to replace that", () => {
    const builtin = tool("a", "planner", "built-in")
    const make = () => createToolSet([builtin, tool("a", "planner", "own")], [builtin])
    expect(make).toThrow('leave "a" out of `enabled` under [tools]')
  })
})
