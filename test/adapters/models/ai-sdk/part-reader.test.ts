import { expect, test } from "vitest"
import { createPartReader } from "../../../../src/adapters/models/ai-sdk/part-reader.ts"
import { splitText, toPrompt } from "../../../../src/adapters/models/ai-sdk/prompt.ts"
import type { Message } from "../../../../src/core/span.ts"

type Part = Readonly<Record<string, unknown>>
const end = (finishReason: unknown): Part => ({ type: "finish", finishReason })
const data = (name: string) => ({ providerMetadata: { p: { name } } })
const input = (kind: string, id: string, more: Part = {}): Part => ({ type: `tool-input-${kind}`, id, ...more })

/** The parts of streams, by what is odd about them. */
const streams: Readonly<Record<string, readonly Part[]>> = {
  nothing: [],
  text: [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "Hi\ud83d" },
    { type: "text-end", id: "t" },
    end("stop"),
  ],
  thoughts: [
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "Hm" },
    { type: "reasoning-end", id: "r" },
    end("stop"),
  ],
  ...Object.fromEntries(
    ["stop", "length", "tool-calls", "content-filter", "error", "other", "unknown", "interrupted", "", "odd", 5].map((word) => [
      `the finish ${word}`,
      [end(word)],
    ]),
  ),
  ...Object.fromEntries(
    [
      { unified: "stop" },
      { unified: "other" },
      { unified: "other", raw: "end_turn" },
      { unified: "other", raw: "odd" },
      { unified: "error", raw: "x" },
      { unified: "length", raw: "MAX" },
      { raw: "stop" },
    ].map((word) => [`the finish ${JSON.stringify(word)}`, [end(word)]]),
  ),
  "two finishes": [end("length"), end("stop")],
  "flat usage": [{ ...end("stop"), usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 3, reasoningTokens: 1 } }],
  "nested usage": [
    {
      ...end("stop"),
      usage: { inputTokens: { total: 9, cacheRead: 3, cacheWrite: 2 }, outputTokens: { total: 4, reasoning: 1 } },
    },
  ],
  "usage that is none": [{ ...end("stop"), usage: { inputTokens: "x" } }],
  "usage twice": [
    { ...end("stop"), usage: { inputTokens: 1 } },
    { ...end("stop"), usage: {} },
  ],
  files: [
    { type: "text-delta", delta: "See\ud83d" },
    { type: "file", mediaType: "image/png", data: "AAAA" },
    { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2]) },
    { type: "file", mediaType: "image/png", data: { type: "data", data: "BBBB" } },
    { type: "file", mediaType: 5, data: { type: "url", url: new URL("https://x/y") } },
    { type: "file", mediaType: "image/png", data: "" },
    end("stop"),
  ],
  "a call in one part": [{ type: "tool-call", toolCallId: "1", toolName: "a", input: '{"x":1}' }, end("tool-calls")],
  "a call with an object": [{ type: "tool-call", toolCallId: "1", toolName: "a", input: { x: 1 } }, end("tool-calls")],
  "calls without an id": [
    { type: "tool-call", toolName: "a", input: "{}" },
    { type: "tool-call", toolName: "b", input: "{}" },
    end("tool-calls"),
  ],
  "a call in pieces": [
    input("start", "1", { toolName: "a" }),
    input("delta", "1", { delta: '{"x"' }),
    input("delta", "1", { delta: ":1}" }),
    input("end", "1"),
    end("tool-calls"),
  ],
  "a call in pieces and whole": [
    input("start", "1", { toolName: "a" }),
    input("delta", "1", { delta: '{"x":1}' }),
    input("end", "1"),
    { type: "tool-call", toolCallId: "1", toolName: "a", input: '{"x":2}' },
    end("tool-calls"),
  ],
  "a call as text": [
    input("start", "1", { toolName: "a", inputEncoding: "text" }),
    input("delta", "1", { delta: 'say "hi"' }),
    input("end", "1"),
    end("tool-calls"),
  ],
  "calls that take turns": [
    input("start", "1", { toolName: "a" }),
    input("start", "2", { toolName: "b" }),
    input("delta", "1", { delta: "{}" }),
    input("delta", "2", { delta: '{"y":1}' }),
    input("end", "2"),
    input("end", "1"),
    end("tool-calls"),
  ],
  "a call that breaks off": [input("start", "1", { toolName: "a" }), input("delta", "1", { delta: '{"x"' }), end("stop")],
  "a call that breaks off in an answer that was cut": [input("start", "1", { toolName: "a" }), end("length")],
  "{} for arguments that never came": [
    input("start", "1", { toolName: "a" }),
    input("end", "1"),
    { type: "tool-call", toolCallId: "1", toolName: "a", input: " {} " },
    end("length"),
  ],
  "a call of the provider's own": [
    input("start", "1", { toolName: "a", providerExecuted: true }),
    { type: "tool-call", toolCallId: "2", toolName: "b", input: "{}" },
    end("tool-calls"),
  ],
  "data of the provider": [
    { type: "reasoning-start", id: "r", ...data("start") },
    { type: "reasoning-delta", id: "r", delta: "Hm" },
    { type: "reasoning-end", id: "r", ...data("end") },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "again" },
    { type: "reasoning-end", id: "r" },
    { type: "text-start", ...data("early") },
    { type: "text-delta", delta: "So", ...data("text") },
    { type: "text-end" },
    { type: "tool-call", toolCallId: "1", toolName: "a", input: "{}" },
    { type: "reasoning-delta", id: "q", delta: "then", ...data("second") },
    { type: "tool-call", toolCallId: "2", toolName: "b", input: "{}", ...data("call") },
    end("tool-calls"),
  ],
  warnings: [
    {
      type: "stream-start",
      warnings: [
        { type: "unsupported", feature: "seed" },
        { type: "unsupported-setting", setting: "topK", details: "No." },
        { type: "unsupported-tool", tool: { name: "a" }, message: "Not here." },
        { type: "deprecated", feature: "x" },
        { type: "compatibility", feature: "y", details: "Slow." },
        { type: "other", message: "Mind the gap." },
        { type: "other" },
        "plain",
      ],
    },
    { type: "reasoning-file" },
    { type: "tool-approval-request" },
    { type: "odd", warnings: ["none"] },
  ],
}

test("the parts of every kind of stream", () => {
  const lines = Object.entries(streams).flatMap(([name, parts]) => {
    const reader = createPartReader()
    const read = parts.map((part) => `${JSON.stringify(reader.push(part))} ${reader.begun()}`)
    return [`## ${name}`, ...read, `end ${JSON.stringify(reader.end())} finished ${reader.finished()}`, ""]
  })
  expect(lines.join("\n")).toMatchSnapshot()
})

test("a text is split at cuts, never into a blank or half a character", () => {
  const rows: readonly (readonly [text: string, cuts: readonly number[]])[] = [
    ["", []],
    ["", [0]],
    ["abcd", []],
    ["abcd", [0]],
    ["abcd", [1, 3]],
    ["abcd", [4]],
    ["abcd", [2, 2]],
    ["  ab", [2]],
    ["ab  ", [2]],
    ["ab  cd", [2, 4]],
    ["a😀b", [2]],
    ["😀b", [1]],
    ["  ", [1]],
  ]
  expect(
    rows.map(([text, cuts]) => `${JSON.stringify(text)} ${cuts} → ${JSON.stringify(splitText(text, cuts))}`).join("\n"),
  ).toMatchSnapshot()
  for (const [text, cuts] of rows)
    expect(
      splitText(text, cuts)
        .map((piece) => piece.text)
        .join(""),
    ).toBe(text)
})

const file = (name: string, end: number, rest: object = {}) => ({ end, attachment: { name, mediaType: "image/png", ...rest } })
const bytes = new Uint8Array([1])

test("the prompt of every kind of conversation", () => {
  const calls = (...ids: readonly string[]) =>
    ids.map((id) => ({ id, name: `tool_${id}`, args: id === "bad" ? "{" : `{"id":"${id}"}` }))
  const conversations: Readonly<Record<string, readonly Message[]>> = {
    none: [],
    "system, developer and user": [
      { role: "system", content: "s" },
      { role: "developer", content: "d" },
      { role: "user", content: "u\ud83d" },
    ],
    "users in a row": [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { role: "assistant", content: "c" },
      { role: "user", content: "d" },
    ],
    "calls and results": [
      { role: "user", content: "u" },
      { role: "assistant", content: "", toolCalls: calls("1", "bad") },
      { role: "tool", content: "r1", toolCallId: "1" },
      { role: "tool", content: "r2", toolCallId: "lost" },
      { role: "tool", content: "r3" },
      { role: "assistant", content: "said", toolCalls: calls("2") },
      { role: "assistant", content: "" },
    ],
    "data of the provider": [
      {
        role: "assistant",
        content: "said",
        toolCalls: [
          {
            id: "1",
            name: "a",
            args: "{}",
            providerData: {
              options: { p: { o: 1 } },
              thoughts: [{ text: "t", options: { p: { s: 1 } } }],
              text: { p: { x: 1 } },
            },
          },
          { id: "2", name: "b", args: "{}", providerData: { thoughts: [{ text: "u", options: {} }] } },
          { id: "3", name: "c", args: "{}", providerData: { extraContent: 1 } },
        ],
      },
    ],
    "files of a user": [
      {
        role: "user",
        content: "see and that",
        parts: [file("a.png", 3, { url: "https://x/a.png" }), { ...file("b.png", 8), bytes }, file("c.png", 12)] as never,
      },
      { role: "user", content: "more" },
      { role: "user", content: " ", parts: [{ ...file("d", 0, { mediaType: undefined }), bytes }] as never },
      { role: "user", content: "", parts: [{ ...file("e\ud83d", 0), bytes }] as never },
    ],
    "files of a result and of an answer": [
      { role: "assistant", content: "", toolCalls: calls("1") },
      { role: "tool", content: "r", toolCallId: "1", parts: [{ ...file("r.png", 1), bytes }] as never },
      { role: "assistant", content: "drawn", parts: [{ ...file("drawn.png", 0), bytes }] as never },
      { role: "user", content: "nice" },
    ],
  }
  const lines = Object.entries(conversations).flatMap(([name, messages]) => {
    const marks = {
      breakpoints: [
        { message: 0, end: 1 },
        { message: 1, end: 1 },
      ],
      marker: { p: { cache: true } },
    }
    const forms = [toPrompt(messages), toPrompt(messages, { marks: marks as never }), toPrompt(messages, { tagged: true })]
    return [`## ${name}`, ...forms.map((form) => form.map((message) => `  ${JSON.stringify(message)}`).join("\n")), ""]
  })
  expect(lines.join("\n")).toMatchSnapshot()
})
