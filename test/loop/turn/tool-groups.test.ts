import { describe, expect, test } from "vitest"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { type ToolGroup, toolGroups } from "../../../src/prompt/tools/tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

const toolOf = (name: string, group?: ToolGroup) =>
  defineTool({ name, description: name, execute: () => name, ...(group === undefined ? {} : { group }) })

describe("R28: groups of tools", () => {
  test("a profile has the tools of the groups it chooses and those of none, hooks' tools too", async () => {
    const tools = [toolOf("clock"), ...toolGroups.map((group) => toolOf(`one_${group}`, group))]
    const hook = {
      name: "more",
      beforeTurn: ({ addTools }: { addTools: (tools: ReturnType<typeof toolOf>[]) => void }) =>
        addTools([toolOf("late_terminal", "terminal"), toolOf("late_context", "context"), toolOf("late")]),
    }
    const seen = async (groups?: readonly ToolGroup[]) => {
      const model = scriptedModel([finish("好")])
      const { session } = testAgent(model, { tools: groups === undefined ? {} : { groups } }, { tools, hooks: [hook] })
      const { trace } = await session.send("？").result
      expect(trace.warnings).toEqual([])
      return model.requests[0]?.facts?.tools.map(({ name }) => name)
    }
    const late = ["late_terminal", "late_context", "late"]
    expect(await seen()).toEqual(["clock", ...toolGroups.map((group) => `one_${group}`), ...late])
    expect(await seen(["context"])).toEqual(["clock", "one_context", "late_context", "late"])
    expect(await seen([])).toEqual(["clock", "late"])
  })

  test("an unknown group is a mistake of the tool", () => {
    expect(() => toolOf("x", "kitchen" as ToolGroup)).toThrow(/group of tool "x" must be one of context, ai/)
  })
})
