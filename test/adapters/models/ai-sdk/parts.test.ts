import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { describe, expect, test } from "vitest"
import { type AiSdkLanguageModel, aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { unfinished } from "../../../../src/adapters/models/answer-parts.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"
import { collect } from "../../../support/collect.ts"
import { finish, modelV2, modelV3, modelV4, textBlock, usage } from "./mock-models.ts"

function partsOf(model: AiSdkLanguageModel): Promise<ModelPart[]> {
  const request = { messages: [{ role: "user" as const, content: "hi" }] }
  return collect(aiSdkModel(model).stream(request, { signal: new AbortController().signal }))
}

const stopped: ModelPart[] = [
  {
    type: "usage",
    usage: { inputTokens: 9, inputCacheReadTokens: 5, inputCacheWriteTokens: 1, outputTokens: 4, reasoningTokens: 3 },
  },
  { type: "finish", reason: "stop" },
]

describe("what a provider's stream becomes", () => {
  const thought = [
    { type: "stream-start" as const, warnings: [] },
    { type: "response-metadata" as const, id: "r" },
    { type: "reasoning-start" as const, id: "r" },
    { type: "reasoning-delta" as const, id: "r", delta: "hm" },
    { type: "reasoning-end" as const, id: "r" },
    ...textBlock("早上", "好😀"),
  ]
  const read: ModelPart[] = [
    { type: "thinking-delta", delta: "hm" },
    { type: "text-delta", delta: "早上" },
    { type: "text-delta", delta: "好😀" },
  ]

  test.each([
    ["v4", modelV4(...thought, finish)],
    ["v3", modelV3(...thought, finish)],
  ])("specification %s: thoughts, words, usage, one finish", async (_, model) => {
    expect(await partsOf(model)).toEqual([...read, ...stopped])
  })

  test("specification v2: usage is flat and the finish a word", async () => {
    const flat = { inputTokens: 9, outputTokens: 4, totalTokens: 13, reasoningTokens: 3, cachedInputTokens: 5 }
    expect(await partsOf(modelV2(...thought, { type: "finish", finishReason: "tool-calls", usage: flat }))).toEqual([
      ...read,
      { type: "usage", usage: { inputTokens: 9, inputCacheReadTokens: 5, outputTokens: 4, reasoningTokens: 3 } },
      { type: "finish", reason: "tool-calls" },
    ])
  })

  test("a character whose halves come in two deltas is joined, a lone half becomes U+FFFD", async () => {
    const parts = await partsOf(modelV4(...textBlock("a\ud83d", "\ude00b", "c\ud83d"), finish))
    expect(parts.slice(0, -2)).toEqual([
      { type: "text-delta", delta: "a" },
      { type: "text-delta", delta: "😀b" },
      { type: "text-delta", delta: "c" },
      { type: "text-delta", delta: "\ufffd" },
    ])
  })

  test("half a character at a block's end comes out with the block, before what follows", async () => {
    const thought = { type: "reasoning-delta" as const, id: "r", delta: "hm" }
    const parts = await partsOf(modelV4(...textBlock("a\ud83d"), thought, ...textBlock("\ude00b"), finish))
    expect(parts.slice(0, -2)).toEqual([
      { type: "text-delta", delta: "a" },
      { type: "text-delta", delta: "\ufffd" },
      { type: "thinking-delta", delta: "hm" },
      { type: "text-delta", delta: "\ufffdb" },
    ])
  })

  test("what the provider does not say stays absent", async () => {
    const nothing = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
    const silent = { inputTokens: nothing, outputTokens: { total: undefined, text: undefined, reasoning: undefined } }
    const partial = { ...silent, inputTokens: { ...nothing, total: 7, cacheRead: 0 } }
    expect(await partsOf(modelV4({ ...finish, usage: silent }))).toEqual([{ type: "finish", reason: "stop" }])
    expect(await partsOf(modelV4({ ...finish, usage: partial }))).toEqual([
      { type: "usage", usage: { inputTokens: 7, inputCacheReadTokens: 0 } },
      { type: "finish", reason: "stop" },
    ])
  })

  test.each([
    ["length", "length"],
    ["content-filter", "content-filter"],
    ["tool-calls", "tool-calls"],
  ] as const)("finish reason %s is %s", async (unified, reason) => {
    const parts = await partsOf(modelV4(...textBlock("a"), { type: "finish", usage, finishReason: { unified, raw: "x" } }))
    expect(parts.at(-1)).toEqual({ type: "finish", reason })
    expect(parts.some((part) => part.type === "warning")).toBe(false)
  })

  test.each<[string, AiSdkLanguageModel]>([
    ["v4's `interrupted`", modelV4({ type: "finish", usage, finishReason: { unified: "interrupted", raw: undefined } })],
    ["v3's `other` without the provider's word", modelV3({ ...finish, finishReason: { unified: "other", raw: undefined } })],
    [
      "v2's `unknown`",
      modelV2({ type: "finish", finishReason: "unknown", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }),
    ],
    ["no finish at all", modelV4(...textBlock("a"))],
    ["nothing at all", modelV4()],
  ])("%s means that the stream just ended: other, with a warning", async (_, model) => {
    expect((await partsOf(model)).slice(-2)).toEqual([
      { type: "warning", message: unfinished.warning },
      { type: "finish", reason: "other" },
    ])
  })

  test.each([
    ["end_turn", [{ type: "finish", reason: "stop" }]],
    ["tool_use", [{ type: "finish", reason: "tool-calls" }]],
    [
      "moon",
      [
        { type: "warning", message: expect.stringContaining('"moon"') },
        { type: "finish", reason: "other" },
      ],
    ],
  ])("the server's own word %s counts if the provider does not know it", async (raw, end) => {
    const parts = await partsOf(modelV4({ type: "finish", usage, finishReason: { unified: "other", raw } }))
    expect(parts.filter(({ type }) => type !== "usage")).toEqual(end)
  })

  test.each([
    ["that the server gave", [{ type: "tool-input-delta", id: "a", delta: "{}" }], "{}"],
    ["that the provider made up", [{ type: "tool-input-delta", id: "a", delta: "" }], ""],
    ["of which nothing is known", [], ""],
  ] as const)("in a cut answer the arguments {} %s are told apart", async (_, deltas, args) => {
    const parts = await partsOf(
      modelV4(
        { type: "tool-input-start", id: "a", toolName: "f" },
        ...deltas,
        { type: "tool-input-end", id: "a" },
        { type: "tool-call", toolCallId: "a", toolName: "f", input: "{}" },
        { ...finish, finishReason: { unified: "length", raw: "max_tokens" } },
      ),
    )
    expect(parts.find(({ type }) => type === "tool-call")).toEqual({ type: "tool-call", call: { id: "a", name: "f", args } })
  })

  test("a finish of `error` is other, with a warning; of two finishes the first counts", async () => {
    const failed = { type: "finish" as const, usage, finishReason: { unified: "error" as const, raw: "x" } }
    const parts = await partsOf(modelV4(failed, finish))
    expect(parts.filter((part) => part.type !== "usage")).toEqual([
      { type: "warning", message: "The model stopped because of an error." },
      { type: "finish", reason: "other" },
    ])
  })

  test("the provider's warnings of all versions are warnings", async () => {
    const v4 = await partsOf(
      modelV4({
        type: "stream-start",
        warnings: [
          { type: "unsupported", feature: "temperature", details: "it thinks" },
          { type: "compatibility", feature: "json" },
          { type: "deprecated", setting: "retention", message: "use ttl" },
          { type: "other", message: "careful" },
        ],
      }),
    )
    const v2 = await partsOf(modelV2({ type: "stream-start", warnings: [{ type: "unsupported-setting", setting: "topK" }] }))
    const messages = (parts: ModelPart[]) => parts.flatMap((part) => (part.type === "warning" ? [part.message] : []))
    expect(messages(v4).slice(0, -1)).toEqual([
      "temperature is not supported: it thinks",
      "json is emulated.",
      "retention is deprecated: use ttl",
      "careful",
    ])
    expect(messages(v2)[0]).toBe("topK is not supported.")
  })

  test("parts that are no words, or no parts at all, do no harm; a file without data, or of a thought, is warned of", async () => {
    const odd = [null, 7, { type: 3 }, { type: "ping" }, { type: "raw", rawValue: {} }, { type: "text-delta", id: "t" }]
    const file = { type: "file" as const, mediaType: "image/png", data: { type: "data" as const, data: "" } }
    const draft = { ...file, type: "reasoning-file" as const }
    const parts = await partsOf(modelV4(...(odd as unknown as LanguageModelV4StreamPart[]), file, draft, finish))
    expect(parts).toEqual([
      { type: "warning", message: "The model made a file without data, which was left out." },
      { type: "warning", message: "The model made a file in its thoughts, which was left out." },
      ...stopped,
    ])
  })
})

describe("native tool calls", () => {
  const start = (id: string, toolName: string) => ({ type: "tool-input-start" as const, id, toolName })
  const delta = (id: string, text: string) => ({ type: "tool-input-delta" as const, id, delta: text })
  const end = (id: string) => ({ type: "tool-input-end" as const, id })
  const call = (toolCallId: string, toolName: string, input: string) => ({
    type: "tool-call" as const,
    toolCallId,
    toolName,
    input,
  })
  const callsOf = async (...parts: LanguageModelV4StreamPart[]) =>
    (await partsOf(modelV4(...parts, finish))).flatMap((part) => (part.type === "tool-call" ? [part.call] : []))

  test("interleaved calls come whole, in order of appearance, before usage and finish", async () => {
    const parts = await partsOf(
      modelV4(
        start("a", "weather"),
        delta("a", '{"ci'),
        start("b", "clock"),
        delta("b", "{}"),
        end("b"),
        call("b", "clock", "{}"),
        delta("a", 'ty":"杭州"}'),
        end("a"),
        call("a", "weather", '{"city":"杭州"}'),
        finish,
      ),
    )
    expect(parts).toEqual([
      { type: "tool-call", call: { id: "a", name: "weather", args: '{"city":"杭州"}' } },
      { type: "tool-call", call: { id: "b", name: "clock", args: "{}" } },
      ...stopped,
    ])
  })

  test("a provider that streams the input and never sends the call itself is understood", async () => {
    expect(await callsOf(start("a", "weather"), delta("a", '{"n"'), delta("a", ":1}"), end("a"))).toEqual([
      { id: "a", name: "weather", args: '{"n":1}' },
    ])
    const text = { ...start("a", "sql"), inputEncoding: "text" as const }
    expect(await callsOf(text, delta("a", 'SELECT "x"'), end("a"))).toEqual([{ id: "a", name: "sql", args: '"SELECT \\"x\\""' }])
  })

  test.each([
    ["in mid-arguments", [start("a", "pay"), delta("a", '{"amount":1')], '{"amount":1'],
    ["before its arguments", [start("a", "pay")], ""],
  ])("a call that broke off %s has what came of it, and the answer did not end whole", async (_, begun, args) => {
    const parts = await partsOf(modelV4(...begun, finish))
    expect(parts.filter(({ type }) => type !== "usage")).toEqual([
      { type: "tool-call", call: { id: "a", name: "pay", args } },
      { type: "warning", message: "The arguments of a tool call broke off." },
      { type: "finish", reason: "other" },
    ])
  })

  test("a call that the provider runs itself is left out", async () => {
    expect(await callsOf({ ...call("a", "web_search", "{}"), providerExecuted: true })).toEqual([])
    expect(await callsOf({ ...start("a", "web_search"), providerExecuted: true }, delta("a", "{}"), end("a"))).toEqual([])
  })

  test("blank arguments of an answer that was cut off stay blank, since they may be missing", async () => {
    const cutOff = { ...finish, finishReason: { unified: "length" as const, raw: "max_tokens" } }
    const parts = await partsOf(modelV4(call("a", "now", ""), cutOff))
    expect(parts[0]).toEqual({ type: "tool-call", call: { id: "a", name: "now", args: "" } })
  })

  test("an id that was given twice is given once", async () => {
    const twice = [
      call("a", "f", "{}"),
      start("b", "g"),
      delta("b", "{}"),
      end("b"),
      call("call_1", "g", "{}"),
      call("", "g", "{}"),
    ]
    expect((await callsOf(...twice)).map(({ id }) => id)).toEqual(["a", "b", "call_1", "call_2"])
  })

  test("blank arguments are {}, missing ids are made, a call without a name is left out with a warning", async () => {
    const calls = await callsOf(call("", "now", ""), call("", "now", " "))
    expect(calls).toEqual([
      { id: "call_1", name: "now", args: "{}" },
      { id: "call_2", name: "now", args: "{}" },
    ])
    const parts = await partsOf(modelV4(call("a", "", "{}"), finish))
    expect(parts[0]).toEqual({ type: "warning", message: "1 tool call(s) without a name were left out." })
  })
})
