import { describe, expect, test } from "vitest"
import type { LanguageModel, ModelPart } from "../../../src/core/model/language-model.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

const text = (delta: string): ModelPart => ({ type: "text-delta", delta })
const native: ModelPart = { type: "tool-call", call: { id: "1", name: "note", args: "{}" } }
const beside = JSON.stringify({ action: "finish", message: "Here.", tool: "note", args: {} })

/** What happens, in order, while a model says `parts` and a tool runs. */
async function order(mode: "json" | "native", parts: readonly ModelPart[]): Promise<string[]> {
  const happened: string[] = []
  let step = 0
  const model: LanguageModel = {
    id: "m",
    capabilities: { developerRole: false, tools: mode === "native" },
    async *stream() {
      step++
      for (const part of step === 1 ? parts : [text(mode === "native" ? "Done." : finish("Done."))]) {
        yield part
        await new Promise((resolve) => setImmediate(resolve))
      }
      yield { type: "finish", reason: "stop" } as const
      happened.push(`output ${step} is over`)
    },
  }
  const execute = () => {
    happened.push("tool")
    return "noted"
  }
  const note = defineTool({ name: "note", description: "Notes", withAnswer: true, execute })
  const { session } = testAgent(model, { loop: { mode } }, { tools: [note] })
  expect(await session.send("?").result).toMatchObject({ ok: true })
  return happened
}

describe("R6: tools start after the model has said all", () => {
  test.each([
    { name: "a JSON decision with words behind it", mode: "json", parts: [text(callTool("note")), text(" so"), text(" be it")] },
    { name: "a native call with words behind it", mode: "native", parts: [native, text("so"), text(" be it")] },
    { name: "a call beside an answer", mode: "json", parts: [...beside].map(text) },
  ] as const)("$name", async ({ mode, parts }) => {
    expect((await order(mode, parts)).slice(0, 2)).toEqual(["output 1 is over", "tool"])
  })
})
