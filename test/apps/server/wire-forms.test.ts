import { describe, expect, test } from "vitest"
import { agUiEvents, readAgUiInput } from "../../../src/apps/server/ag-ui.ts"
import { HttpProblem, problemResponse } from "../../../src/apps/server/http-problem.ts"
import { completion, completionChunks } from "../../../src/apps/server/openai/chat-completions.ts"
import { readCompletionRequest } from "../../../src/apps/server/requests/read-completion.ts"
import { readUiMessages } from "../../../src/apps/server/ui-chat.ts"
import { uiMessageChunks } from "../../../src/apps/server/ui-message-stream.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { Turn } from "../../../src/loop/agent/turn.ts"
import type { TurnAnswer, TurnEvent } from "../../../src/trace/turn-event.ts"

/** A turn that only tells events. */
function turnOf(events: readonly unknown[]): Turn {
  const told = async function* () {
    yield* events as readonly TurnEvent[]
  }
  return { id: "turn", [Symbol.asyncIterator]: told } as unknown as Turn
}

const usage = { inputTokens: 11, outputTokens: 7, inputCacheReadTokens: 5, reasoningTokens: 3 }
type Answer = TurnAnswer
const answered = (given: object = {}): Answer =>
  ({ ok: true, text: "ab", stopReason: "answered", usage, trace: { steps: [] }, ...given }) as unknown as Answer
const failedWith = (code: "aborted" | "model"): unknown => ({ ok: false, error: new PromptStrataError(code as "aborted", "no") })
const picture = { path: "a.png", mediaType: "image/png", base64: "AA==" }

/** Everything that a turn can show, and some that no client sees. */
const events = [
  { type: "turn-start", colour: "red", atMs: 0 },
  { type: "thinking-delta", delta: "hm" },
  { type: "thinking-delta", delta: "m" },
  { type: "tool-start", id: "c1", tool: "search", args: { q: 1 } },
  { type: "tool-end", run: { id: "c1", status: "done", result: "found" } },
  { type: "tool-start", id: "c2", tool: "drop", args: undefined },
  { type: "tool-end", run: { id: "c2", status: "failed", result: "no way" } },
  {
    type: "tool-progress",
    id: "c2",
    tool: "drop",
    progress: { progress: 1, total: 2, message: "half of [x](https://evil.example)" },
  },
  { type: "emotion", emotion: "shy", asset: "/home/me/shy.png" },
  { type: "text-delta", delta: "a" },
  { type: "text-delta", delta: "b" },
  { type: "bubble", text: "ab", emotions: ["shy"] },
  { type: "attachment", attachment: picture },
  { type: "text-delta", delta: "\n\nc" },
]

async function linesOf(stream: AsyncIterable<object>): Promise<string> {
  const lines: string[] = []
  for await (const one of stream) lines.push(JSON.stringify(one))
  return lines.join("\n")
}

/** The refusal of each input, with the field at fault. */
function refusals<T>(read: (input: T) => unknown, inputs: readonly T[]): string {
  const lines = inputs.map((input) => {
    try {
      return `read: ${JSON.stringify(read(input))}`
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      return `${error.status} ${error.param}: ${error.message}`
    }
  })
  return lines.join("\n")
}

describe("a turn in the form of each protocol, event by event", () => {
  test("the AI SDK's UI message stream", async () => {
    const all = [...events, { type: "turn-end", result: answered() }]
    expect(await linesOf(uiMessageChunks(turnOf(all)))).toMatchSnapshot()
    const bare = { thinking: false, tools: false }
    expect(await linesOf(uiMessageChunks(turnOf(all), bare))).toMatchSnapshot()
  })

  test("AG-UI", async () => {
    const all = [...events, { type: "text-delta", delta: "" }, { type: "turn-end", result: answered() }]
    const input = { threadId: "thread", runId: "run", locale: "en" }
    expect(await linesOf(agUiEvents(turnOf(all), input))).toMatchSnapshot()
  })

  test("chunks of chat completions", async () => {
    const all = [...events, { type: "turn-end", result: answered() }]
    const own = { id: "id", created: 1, model: "fay" }
    expect(await linesOf(completionChunks(own, turnOf(all), { includeUsage: true, locale: "en" }))).toMatchSnapshot()
    const ended = [{ type: "turn-end", result: answered({ stopReason: "truncated" }) }]
    expect(await linesOf(completionChunks(own, turnOf(ended), { includeUsage: false, locale: "en" }))).toMatchSnapshot()
  })

  test("one chat completion", () => {
    const own = { id: "id", created: 1, model: "fay" }
    const files = [picture, { path: "b.txt", mediaType: "text/plain", base64: "Yg==" }, { ...picture, path: "c.png" }]
    expect(
      JSON.stringify(completion(own, answered({ attachments: files, stopReason: "truncated" }), { locale: "en" })),
    ).toMatchSnapshot()
    expect(JSON.stringify(completion(own, answered({ usage: {} }), { locale: "en" }))).toMatchSnapshot()
  })

  test.each(["en", "zh-CN"])("the end of a turn that failed or was stopped, in %s", async (locale) => {
    const ends: string[] = []
    for (const code of ["model", "aborted"] as const) {
      const turn = turnOf([{ type: "turn-end", result: failedWith(code) }])
      const forms = [
        uiMessageChunks(turn, { locale }),
        agUiEvents(turn, { threadId: "thread", runId: "run", locale }),
        completionChunks({ id: "id", created: 1, model: "fay" }, turn, { includeUsage: true, locale }),
      ]
      for (const form of forms) ends.push((await linesOf(form)).split("\n").slice(-2).join("\n"))
    }
    expect(ends.join("\n\n")).toMatchSnapshot()
  })
})

const said = [{ role: "user", content: "hi" }]
const image = { type: "image_url", image_url: { url: "data:," } }
const messagesOf = (...messages: unknown[]) => ({ model: "fay", messages })

describe("what a request is read as, or why it is refused", () => {
  test("by chat completions", () => {
    const all: readonly Record<string, unknown>[] = [
      { model: "fay", messages: said },
      {
        model: "fay",
        messages: said,
        stream: true,
        stream_options: { include_usage: true },
        tools: [],
        n: 1,
        seed: 1,
        top_p: null,
      },
      {
        model: "fay",
        messages: said,
        stream: 1,
        stream_options: { include_usage: 1 },
        n: null,
        user: "u",
        store: true,
        metadata: {},
      },
      messagesOf({ role: "system", content: "a" }, { role: "developer", content: [{ type: "text", text: "b" }] }, ...said),
      messagesOf({ role: "user", name: "Ann", content: [{ type: "text", text: "x" }, image, { type: "text", text: "y" }] }),
      messagesOf({ role: "user", name: 1, content: [{ type: "input_audio", input_audio: { data: "AA", format: "mp3" } }] }),
      messagesOf({ role: "user", content: [{ type: "input_audio", input_audio: { data: "AA", format: "ogg" } }] }),
      messagesOf({ role: "user", content: [{ type: "file", file: { file_data: "data:,", filename: "f" } }] }),
      messagesOf({ role: "user", content: [{ type: "file", file: { file_data: "data:,", filename: 1 } }] }),
      messagesOf({ role: "assistant", content: "x", images: [image, null, { type: "other" }], tool_calls: [] }, ...said),
      messagesOf({ role: "user", content: "x", images: [image], tool_calls: null }),
      { messages: said },
      { model: "fay" },
      { model: "fay", messages: [] },
      { model: "fay", messages: said, n: 2 },
      { model: "fay", messages: said, n: "1" },
      ...["tools", "tool_choice", "functions", "function_call", "response_format", "modalities", "audio", "prediction"].map(
        (name) => ({ model: "fay", messages: said, [name]: "x" }),
      ),
      messagesOf(...said, 1),
      messagesOf({ role: "tool", content: "x" }),
      messagesOf({ content: "x" }),
      messagesOf({ role: "assistant", content: "x", tool_calls: [{}] }),
      messagesOf({ role: "assistant", content: null }),
      messagesOf({ role: "assistant", content: [image] }),
      messagesOf({ role: "user", content: [{ type: "text" }] }),
      messagesOf({ role: "user", content: ["x"] }),
      messagesOf({ role: "user", content: [{ type: "image_url", image_url: {} }] }),
      messagesOf({ role: "user", content: [{ type: "input_audio", input_audio: {} }] }),
      messagesOf({ role: "user", content: [{ type: "file", file: {} }] }),
      messagesOf({ role: "user", content: [{ type: "file" }] }),
    ]
    expect(refusals(readCompletionRequest, all)).toMatchSnapshot()
  })

  test("by AG-UI", () => {
    const ids = { threadId: "t", runId: "r" }
    const part = (type: string, source: unknown) => ({ ...ids, messages: [{ role: "user", content: [{ type, source }] }] })
    const all: readonly Record<string, unknown>[] = [
      { ...ids, messages: said },
      {
        ...{ ...ids, forwardedProps: { model: "fay" }, tools: [], state: {}, resume: [] },
        context: [{ description: "d", value: "v" }, 1],
        messages: [
          { role: "system", content: "a" },
          { role: "developer", content: "b" },
          ...said,
          { role: "tool", content: "x" },
        ],
      },
      {
        ...ids,
        messages: [{ role: "assistant" }, { role: "reasoning" }, { role: "activity", content: {} }],
        state: { a: 1 },
        resume: 0,
      },
      {
        ...ids,
        messages: [
          { role: "assistant", content: "x" },
          { role: "user", content: "" },
        ],
        state: null,
      },
      part("image", { type: "url", value: "http://x", mimeType: "image/png" }),
      part("audio", { type: "data", value: "AA" }),
      part("video", { type: "data", value: "AA", mimeType: "video/mp4" }),
      part("document", { type: "url", value: "http://x" }),
      {
        ...ids,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "x" },
              { type: "text", text: "y" },
            ],
          },
        ],
      },
      { runId: "r", messages: said },
      { threadId: "t", messages: said },
      ids,
      { ...ids, messages: said, tools: [{}] },
      { ...ids, messages: [...said, 1] },
      { ...ids, messages: [{ role: "toString", content: "x" }] },
      { ...ids, messages: [{ content: "x" }] },
      part("binary", { type: "url", value: "x" }),
      part("image", { type: "id", value: "x" }),
      part("image", { type: "url", value: 1 }),
      part("image", 1),
      { ...ids, messages: [{ role: "user", content: 1 }] },
      { ...ids, messages: [{ role: "system", content: [{ type: "image", source: { type: "url", value: "x" } }] }] },
    ]
    expect(refusals(readAgUiInput, all)).toMatchSnapshot()
  })

  test("by useChat's route", () => {
    const parts = (...all: unknown[]) => ({ messages: [{ role: "user", parts: all }] })
    const all: readonly Record<string, unknown>[] = [
      parts({ type: "text", text: "x" }, { type: "step-start" }, { type: "text", text: "y" }),
      parts({ type: "file", url: "data:,", mediaType: "image/png", filename: "f" }, 1),
      parts({ type: "file", url: "data:,", mediaType: 1, filename: 1 }),
      parts(),
      {
        messages: [
          { role: "assistant", parts: [] },
          { role: "assistant", parts: [{ type: "file", url: "u" }] },
        ],
      },
      {},
      { messages: [{ role: "user" }] },
      { messages: [1] },
      { messages: [{ role: "system", parts: [] }] },
      parts({ type: "text", text: "x" }, { type: "file" }),
    ]
    expect(refusals(readUiMessages, all)).toMatchSnapshot()
  })

  test("a refusal says with what to come back, and only a missing key asks for one", async () => {
    const known = problemResponse(new HttpProblem(404, "gone", { param: "model", code: "model_not_found" }))
    expect([known.status, known.headers.get("www-authenticate"), await known.json()]).toEqual([
      404,
      null,
      { error: { message: "gone", type: "invalid_request_error", param: "model", code: "model_not_found" } },
    ])
    const keyless = problemResponse(new HttpProblem(401, "no key"))
    expect([keyless.status, keyless.headers.get("www-authenticate"), await keyless.json()]).toEqual([
      401,
      "Bearer",
      { error: { message: "no key", type: "authentication_error", param: null, code: null } },
    ])
  })
})
