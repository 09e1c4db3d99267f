import { expect, test } from "vitest"
import { scriptedModel } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"

/** The warnings of a native turn whose model answers with this text, in pieces of one size. */
async function warningsOf(text: string, size: number) {
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
  const model = scriptedModel([pieces.map((delta) => ({ type: "text-delta" as const, delta }))], {
    capabilities: { tools: true },
  })
  const { session } = testAgent(model, { dialect: "layered", loop: { mode: "native" } })
  const { trace } = await session.send("?").result
  return trace.warnings
}

const calls = [
  [
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_begin|><|tool_call_begin|>f:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
  ],
  ["<|tool_call_begin|>", 'So: <|tool_call_begin|>f:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|>'],
  ["<tool_call>", '<tool_call>\n{"name":"f","arguments":{}}\n</tool_call>'],
  ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function"],
] as const

test.each(calls)("T43 a call that a model wrote as text, with %s, is told, however it is cut", async (mark, text) => {
  for (const size of [...Array(mark.length + 2).keys()].map((at) => at + 1)) {
    const told = await warningsOf(text, size)
    expect(told.filter(({ kind, message }) => kind === "model" && message.includes(mark))).toHaveLength(1)
  }
})

test("T43 words about calls are told nothing of", async () => {
  expect(await warningsOf("A tool_call is <tool> | call.", 3)).toEqual([])
})
