import { afterEach, expect, test } from "vitest"
import type { ModelPart } from "../../../src/core/model/language-model.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const call: ModelPart = { type: "tool-call", call: { id: "n1", name: "look", args: "{}" } }

test.each<["json" | "native", ScriptedStep]>([
  ["json", callTool("look")],
  ["native", [call]],
])("a reader that stops a turn in mode %s when its step has ended stops the calls of that step", async (mode, step) => {
  let looked = 0
  const look = defineTool({ name: "look", description: "", execute: () => `${++looked}` })
  const model = scriptedModel([step], { capabilities: { tools: true } })
  const { session } = testAgent(model, { dialect: "layered", loop: { mode } }, { tools: [look] })
  const turn = session.send("Look!")
  const types: string[] = []
  for await (const { type } of turn) {
    types.push(type)
    if (type === "step-end") turn.abort()
  }
  expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted" } })
  expect([types.includes("tool-start"), looked, model.requests.length]).toEqual([false, 0, 1])
})
