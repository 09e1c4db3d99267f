import fc from "fast-check"
import { expect, test } from "vitest"
import { uiMessageChunks } from "../../../src/apps/server/ui-message-stream.ts"
import type { FinishReason, ModelPart } from "../../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { emotionBracket, emotionPipe } from "../../../src/reply/output/formats.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { segmentsOf } from "../../../src/trace/segments.ts"
import type { TurnEvent } from "../../../src/trace/turn-event.ts"
import { collect, testAgent } from "../../support/agents.ts"
import { runs, seedOf } from "../../support/size.ts"

interface Case {
  readonly mode: "json" | "chat" | "native"
  readonly outputs: readonly (readonly string[])[]
  readonly output: ProfileInput["output"] & object
  readonly answerLimit: { readonly stop?: readonly string[]; readonly maxTokens?: number }
  readonly finish: FinishReason
}

/** Everything that a turn shows, keeps and runs, while its model says the same in pieces of `size` code points. */
async function outcome({ mode, outputs, output, answerLimit, finish }: Case, size: number) {
  const steps = [...outputs.map((pieces) => pieces.join("")), "end.", "end."].map((text): ModelPart[] => [
    ...Array.from({ length: Math.ceil([...text].length / size) }, (_, at) =>
      [...text].slice(at * size, (at + 1) * size).join(""),
    ).map((delta) => ({ type: "text-delta", delta }) as const),
    { type: "finish", reason: finish },
  ])
  const ran: unknown[] = []
  const tools = [defineTool({ name: "echo", description: "", execute: (args) => `${ran.push(args)}` })]
  const given = { loop: { mode, maxSteps: 3 }, output, memory: { enabled: false } } as const
  const store = createInMemoryStore()
  const { session } = testAgent(scriptedModel(steps, { capabilities: { tools: true } }), given, { store, tools })
  const turn = session.send("hi", { answerLimit })
  const [events, page, segments] = await Promise.all([collect(turn), collect(uiMessageChunks(turn)), collect(segmentsOf(turn))])
  const { trace, ...result } = await turn.result
  const of = (type: TurnEvent["type"]) => events.filter((event) => event.type === type)
  const joined = (type: "text-delta" | "thinking-delta") =>
    events.flatMap((event) => (event.type === type ? [event.delta] : [])).join("")
  return {
    ...{ result, ran, segments, shown: joined("text-delta"), thoughts: joined("thinking-delta") },
    ...{ bubbles: of("bubble"), emotions: of("emotion"), warned: trace.warnings.filter(({ kind }) => kind !== "model") },
    page: page.map((chunk) => (chunk.type === "text-delta" ? chunk.delta : "")).join(""),
    history: (await store.load(session.key))?.history,
  }
}

const pieces = [
  ...[
    '{"action":"tool","tool":"echo","args":{"x":1}}',
    '{"action":"finish","message":"hi @br there"}',
    '{"action":"finish","message":"',
  ],
  ...[
    '{"tool":"echo","args":{"x":2}}',
    '"}',
    "}",
    "{",
    '"',
    "'",
    "`",
    "```",
    "```json\n",
    "\n",
    "\r\n",
    "\n\n",
    " ",
    "<think>",
    "</think>",
  ],
  ...[
    "<thought>",
    "</thought>",
    "<thi",
    "nk>",
    "word",
    "好。",
    "Hello. ",
    "👩\u200d👩\u200d👧",
    "\\n",
    "\\ud83d",
    "\\ude00",
    '\\"',
    "@br",
  ],
  ...[
    "[happy] ||| ",
    "[joy] ",
    "[a](https://evil.com/x)",
    "https://evil.com/",
    "<empty_reply>",
    "20260102 3:04 ",
    "e\u0301",
    "\u2028",
    "\ufeff",
  ],
]

test("T22 T23 N19 a turn shows, keeps and runs the same, however the output of its model is cut", async () => {
  const output = fc.record({
    bubbles: fc.boolean(),
    links: fc.constantFrom(undefined, ["ok.com"]),
    format: fc.constantFrom(undefined, emotionPipe, emotionBracket),
  })
  const cases = fc.record({
    mode: fc.constantFrom("json", "chat", "native"),
    outputs: fc.array(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 2 }),
    output,
    answerLimit: fc.constantFrom({}, {}, {}, { stop: ["wor"] }, { maxTokens: 3 }),
    finish: fc.constantFrom("stop", "length"),
  }) as fc.Arbitrary<Case>
  await fc.assert(
    fc.asyncProperty(cases, fc.integer({ min: 1, max: 9 }), async (given, size) => {
      const whole = await outcome(given, 10_000)
      expect(await outcome(given, size)).toEqual(whole)
      if (whole.result.ok) expect(whole.shown).toBe(whole.result.text)
    }),
    { numRuns: runs(600), seed: seedOf(23) },
  )
})

test.each([1, 1_000])("N19 of a thought behind the end of a limited answer nothing is told: pieces of %d", async (size) => {
  const given = { mode: "chat", outputs: [["a word\n<think>t</think>"]], output: {}, finish: "stop" } as const
  const { thoughts, shown } = await outcome({ ...given, answerLimit: { stop: ["wor"] } }, size)
  expect([shown, thoughts]).toEqual(["a ", ""])
})
