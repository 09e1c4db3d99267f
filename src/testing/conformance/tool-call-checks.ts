import type { ToolCall } from "../../core/message.ts"
import type { ModelPart } from "../../model/model-part.ts"
import type { Check } from "./check.ts"
import { claim, modelFailure, wholeAnswer } from "./claims.ts"

/** What tool calls become. */
export const toolCallChecks: readonly Check[] = [
  {
    name: "tool calls arrive whole and in order, with id, name and JSON arguments",
    needs: ["tool-call"],
    tools: true,
    scripts: [
      [
        { type: "text", text: "Let me look." },
        {
          type: "tool-call",
          id: "call_a",
          name: "query_weather",
          args: ['{"ci', 'ty":"杭', '州","note":"a \\"b\\" \\ud83d', '\\ude00"}'],
        },
        { type: "tool-call", id: "call_b", name: "read_clock", args: ['{"zone":', '"UTC"}'] },
        { type: "finish", reason: "tool-calls" },
      ],
    ],
    async verify(stage) {
      const parts = wholeAnswer(await stage.read())
      const calls = callsOf(parts).map(({ id, name, args }) => ({ id, name, args: parsed(args) }))
      const expected = [
        { id: "call_a", name: "query_weather", args: { city: "杭州", note: 'a "b" 😀' } },
        { id: "call_b", name: "read_clock", args: { zone: "UTC" } },
      ]
      claim(JSON.stringify(calls) === JSON.stringify(expected), `the calls ${JSON.stringify(expected)}`, calls)
      const last = parts.at(-1)
      claim(last?.type === "finish" && last.reason === "tool-calls", "the finish reason tool-calls", last)
    },
  },
  {
    name: "a tool call without arguments has an empty object as arguments",
    needs: ["tool-call"],
    tools: true,
    scripts: [
      [
        { type: "tool-call", id: "call_a", name: "read_clock", args: [] },
        { type: "finish", reason: "tool-calls" },
      ],
    ],
    async verify(stage) {
      const calls = callsOf(wholeAnswer(await stage.read()))
      claim(calls.length === 1 && JSON.stringify(parsed(calls[0]?.args)) === "{}", "one call with the arguments {}", calls)
    },
  },
  {
    name: "a tool call that breaks off is never yielded",
    needs: ["tool-call", "cut"],
    tools: true,
    scripts: [[{ type: "tool-call", id: "call_a", name: "pay", args: ['{"amount":', "1"] }, { type: "cut" }]],
    async verify(stage) {
      const answer = await stage.read()
      modelFailure(answer, true)
      claim(callsOf(answer.parts).length === 0, "no tool call", answer.parts)
    },
  },
]

function callsOf(parts: readonly ModelPart[]): readonly ToolCall[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? [part.call] : []))
}

function parsed(args: unknown): unknown {
  claim(typeof args === "string", "arguments as JSON text", args)
  try {
    return JSON.parse(args)
  } catch {
    return claim(false, "arguments that are JSON", args)
  }
}
