import { expect, test } from "vitest"
import { z } from "zod"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

const weather = defineTool({
  name: "weather",
  description: "",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: rain`,
})

async function turnOf(...steps: readonly string[]) {
  const model = scriptedModel(steps)
  const { session } = testAgent(model, {}, { tools: [weather] })
  const turn = session.send("?")
  const deltas: string[] = []
  for await (const event of turn) if (event.type === "text-delta") deltas.push(event.delta)
  return { result: await turn.result, shown: deltas.join(""), requests: model.requests.length }
}

// With the six calls below, 8 of 8 weak shapes are understood.
test.each([' {"message": "Hi \\u4f60"}\n', '{"message":"Hi 你"}'])(
  "T44 a whole reply that is a message without its action is the answer: %s",
  async (output) => {
    const { result, shown, requests } = await turnOf(output)
    expect(result).toMatchObject({ ok: true, text: "Hi 你", stopReason: "finish" })
    expect([shown, requests]).toEqual(["Hi 你", 1])
  },
)

test.each([
  '{"tool":"weather","args":{"city":"Ulm"}}',
  '{"args":{"city":"Ulm"},"tool":"weather"}',
  '{"name":"weather","arguments":{"city":"Ulm"}}',
  '{"name":"weather","arguments":"{\\"city\\":\\"Ulm\\"}"}',
  '{"arguments":{"city":"Ulm"},"name":"weather"}',
  '\n{\n  "tool": "weather",\n  "args": {\n    "city": "Ulm"\n  }\n}\n',
])("T44 a whole reply that is a call without its action runs: %s", async (call) => {
  const { result, requests } = await turnOf(call, finish("Rain."))
  expect(result).toMatchObject({ ok: true, text: "Rain.", trace: { runs: [{ tool: "weather", result: "Ulm: rain" }] } })
  expect(requests).toBe(2)
})

test.each([
  ["an unknown tool", '{"tool":"wether","args":{"city":"Ulm"}}'],
  ["other arguments", '{"tool":"weather","args":{"town":"Ulm"}}'],
  ["another member", '{"tool":"weather","args":{"city":"Ulm"},"why":1}'],
  ["words around it", 'So: {"tool":"weather","args":{"city":"Ulm"}}'],
  ["two of them", '{"tool":"weather","args":{"city":"Ulm"}} {"tool":"weather","args":{"city":"Bonn"}}'],
  ["no end", '{"name":"weather","arguments":{"city":"Ulm"}'],
  ["a message that is no text", '{"message":{"a":1}}'],
  ["a blank message", '{"message":" "}'],
])("T44 with %s it is asked for again, and nothing runs", async (_, output) => {
  const { result, requests } = await turnOf(output, finish("Again."))
  expect(result).toMatchObject({ ok: true, text: "Again.", trace: { runs: [] } })
  expect(requests).toBe(2)
})

test.each(["json", "native", "chat"] as const)(
  "T44 R9 `@br` alone is no answer where the loop is %s: the final output is asked for",
  async (mode) => {
    const marks = mode === "json" ? finish("@br") : "@br\n@br"
    for (const [last, outcome] of [
      ["Hi.", { ok: true, text: "Hi." }],
      ["@br", { ok: false, error: { code: "model-empty" } }],
    ] as const) {
      const model = scriptedModel([marks, last], { capabilities: { tools: mode === "native" } })
      const { session } = testAgent(model, { dialect: "layered", loop: { mode }, output: { bubbles: true } })
      expect(await session.send("?").result).toMatchObject(outcome)
    }
  },
)
