import { describe, expect, test } from "vitest"
import { readAnswerBody, readRefusal } from "../../../../src/adapters/models/openai/answer-body.ts"
import { createChunkReader } from "../../../../src/adapters/models/openai/chunk-reader.ts"
import { recordingOf } from "../../../../src/adapters/models/openai/media.ts"

const delta = (given: object, choice: object = {}) => ({ choices: [{ index: 0, delta: given, ...choice }] })
const call = (given: object, fn: object = {}) => delta({ tool_calls: [{ ...given, function: fn }] })
const end = (reason: unknown) => delta({}, { finish_reason: reason })
const picture = "data:image/png;base64,AAAA"

/** The chunks of answers, by what is odd about them. */
const answers: Readonly<Record<string, readonly unknown[]>> = {
  nothing: [],
  "no chunk at all": [null, "x", 5, [], {}, { choices: "x" }, { choices: [null] }],
  "text in pieces": [delta({ content: "He" }), delta({ content: "llo" }), end("stop")],
  "half characters": [delta({ content: "a\ud83d" }), delta({ content: "\ude00" }), delta({ content: "\ud83d" }), end("stop")],
  "text as parts": [delta({ content: [{ text: "a" }, { text: 5 }, null, { text: "b" }] })],
  "a refusal": [delta({ content: "x", refusal: "No." })],
  "thoughts under either name": [
    delta({ reasoning_content: "a", reasoning: "b" }),
    delta({ reasoning: "c" }),
    delta({ content: "d" }),
  ],
  "thoughts as parts": [delta({ content: [{ thinking: "a" }, { thinking: [{ text: "b" }, {}] }, { text: "c" }] })],
  "a message in place of a delta": [{ choices: [{ message: { content: "whole" }, finish_reason: "stop" }] }],
  "a delta before a message": [{ choices: [{ delta: { content: "d" }, message: { content: "m" } }] }],
  "the text of a completion": [{ choices: [{ text: "old" }] }],
  "other choices": [
    {
      choices: [
        { index: 1, delta: { content: "b" } },
        { index: 0, delta: { content: "a" } },
      ],
    },
    { choices: [{ index: 2, delta: { content: "c" } }] },
  ],
  ...Object.fromEntries(
    ["stop", "STOP", "eos", "eos_token", "stop_sequence", "end_turn", "length", "max_tokens", "model_length", "tool_calls"].map(
      (word) => [`the finish ${word}`, [end(word)]],
    ),
  ),
  ...Object.fromEntries(
    ["function_call", "tool_use", "content_filter", "error", "", 5, null, "odd", "x".repeat(90)].map((word) => [
      `the finish ${word}`,
      [end(word)],
    ]),
  ),
  "two finishes": [end("length"), end("stop")],
  "usage of all kinds": [
    {
      usage: {
        prompt_tokens: 9,
        completion_tokens: 4,
        prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    },
  ],
  "usage of DeepSeek": [{ usage: { prompt_tokens: 9, prompt_cache_hit_tokens: 5 } }],
  "usage of Moonshot": [{ usage: { prompt_tokens: 9, cached_tokens: 6 } }],
  "usage of all three": [
    { usage: { prompt_tokens_details: { cached_tokens: 0 }, prompt_cache_hit_tokens: 5, cached_tokens: 6 } },
  ],
  "usage inside a choice": [delta({}, { usage: { prompt_tokens: 1 } })],
  "usage twice": [{ usage: { prompt_tokens: 1 } }, { usage: {} }, { usage: { prompt_tokens: 2 } }],
  "usage that is none": [{ usage: { prompt_tokens: -1, completion_tokens: "x" } }],
  "a call in one piece": [call({ index: 0, id: "1" }, { name: "a", arguments: '{"x":1}' }), end("tool_calls")],
  "a call in many pieces": [
    call({ index: 0, id: "1" }, { name: "al" }),
    call({ index: 0 }, { name: "pha" }),
    call({ index: 0 }, { arguments: '{"x"' }),
    call({ index: 0 }, { arguments: ":1}" }),
  ],
  "calls that take turns": [
    call({ index: 0, id: "1" }, { name: "a" }),
    call({ index: 1, id: "2" }, { name: "b" }),
    call({ index: 0 }, { arguments: "{}" }),
    call({ index: 1 }, { arguments: '{"y":1}' }),
  ],
  "calls without an index": [
    call({ id: "1" }, { name: "a", arguments: "{}" }),
    call({ id: "2" }, { name: "b", arguments: "{}" }),
    call({ id: "1" }, { arguments: " " }),
  ],
  "calls that all have the index 0": [
    call({ index: 0, id: "1" }, { name: "a", arguments: "{}" }),
    call({ index: 0, id: "2" }, { name: "a", arguments: "{}" }),
  ],
  "calls without any id": [
    call({ index: 0 }, { name: "a", arguments: "{}" }),
    call({ index: 0 }, { name: "b", arguments: "{}" }),
  ],
  "calls with one id": [
    call({ index: 0, id: "1" }, { name: "a", arguments: "{}" }),
    call({ index: 1, id: "1" }, { name: "b", arguments: "{}" }),
  ],
  "an id that comes late": [call({ index: 0 }, { name: "a" }), call({ index: 0, id: "9" }, { arguments: "{}" })],
  "arguments before the name": [call({ index: 0 }, { arguments: '{"x":1}' }), call({ index: 0, id: "1" }, { name: "a" })],
  "a name that is repeated": [
    call({ index: 0, id: "1" }, { name: "a", arguments: '{"x"' }),
    call({ index: 0, id: "1" }, { name: "a", arguments: ":1}" }),
  ],
  "a name that comes again behind whole arguments": [
    call({ index: 0 }, { name: "a", arguments: "{}" }),
    call({ index: 0 }, { name: "a" }),
    call({ index: 0 }, { arguments: '{"x":2}' }),
  ],
  "a name that may be two": [
    call({ index: 0 }, { name: "a" }),
    call({ index: 0 }, { name: "b" }),
    call({ index: 0 }, { arguments: "{}" }),
  ],
  "the name of a longer tool": [call({ index: 0 }, { name: "a" }), call({ index: 0 }, { name: "b2", arguments: "{}" })],
  "arguments without a name": [call({ index: 0, id: "1" }, { arguments: "{}" })],
  "a call without a name beside another": [
    call({ index: 0, id: "1" }, { name: "a" }),
    call({ index: 1, id: "2" }, { arguments: '{"x":1}' }),
  ],
  "arguments as an object": [call({ index: 0, id: "1" }, { name: "a", arguments: { x: 1 } })],
  "blank arguments of a whole answer": [call({ index: 0, id: "1" }, { name: "a" }), end("tool_calls")],
  "blank arguments of an answer that was cut": [call({ index: 0, id: "1" }, { name: "a" }), end("length")],
  "a call in the old form": [
    delta({ function_call: { name: "a" } }),
    delta({ function_call: { arguments: "{}" } }),
    end("function_call"),
  ],
  "data of the provider": [
    delta({
      reasoning_content: "think",
      extra_content: { m: 1 },
      reasoning_details: [{ type: "reasoning.text", index: 0, text: "a" }, 5],
    }),
    delta({
      reasoning_details: [
        { type: "reasoning.text", index: 0, text: "b", signature: "s", id: null },
        { type: "reasoning.text", index: 1, summary: "c" },
      ],
    }),
    delta({
      reasoning_details: [
        { type: "reasoning.encrypted", data: "1" },
        { type: "reasoning.encrypted", data: "2" },
      ],
    }),
    delta({
      tool_calls: [
        { index: 0, function: { arguments: "{}" } },
        { index: 1, id: "2", function: { name: "b", arguments: "{}" }, extra_content: { sig: 1 } },
      ],
    }),
    delta({ tool_calls: [{ index: 1, extra_content: { sig: 2 } }] }),
    end("tool_calls"),
  ],
  pictures: [
    delta({ images: [{ image_url: { url: picture } }, { image_url: picture }, {}, null] }),
    delta({
      images: [{ image_url: { url: "https://x/y.png" } }],
      content: [{ image_url: { url: "data:image/jpeg;name=x;base64,BBBB" } }],
    }),
    delta({ images: [{ image_url: { url: "data:image/png,plain" } }] }),
  ],
  speech: [
    delta({ audio: { transcript: "Hi ", data: "AAA" } }),
    delta({ audio: { data: "A", transcript: "you" } }),
    delta({ audio: { data: "BBBB" } }),
    end("stop"),
  ],
  "speech that is no base64": [delta({ audio: { data: "!!" } })],
  "words beside speech": [delta({ content: "words", audio: { transcript: "spoken" } })],
}

/** The end of an answer, as the model makes it. */
function endOf(reader: ReturnType<typeof createChunkReader>, format?: string) {
  return reader.end(reader.recorded.length > 0 ? [recordingOf(reader.recorded, format)] : [])
}

test.each([
  ["a wav", undefined],
  ["mp3", "mp3"],
  ["opus", "opus"],
  ["flac", "flac"],
  ["aac", "aac"],
  ["samples", "pcm16"],
])("speech as %s", (_, format) => {
  const reader = createChunkReader([])
  reader.push(delta({ audio: { data: "AAEC" } }))
  expect(endOf(reader, format)[0]).toMatchSnapshot()
})

test("the parts of every kind of answer", () => {
  const lines = Object.entries(answers).flatMap(([name, chunks]) => {
    const reader = createChunkReader(["a", "ab", "ab2", "b", "alpha"])
    const parts = chunks.map((chunk) => JSON.stringify(reader.push(chunk)))
    return [
      `## ${name}`,
      ...parts,
      `end ${JSON.stringify(endOf(reader))} finished ${reader.finished()} begun ${reader.begun()}`,
      "",
    ]
  })
  expect(lines.join("\n")).toMatchSnapshot()
})

const bodies: Readonly<Record<string, string>> = {
  nothing: "",
  events: 'data: {"a":1}\n\ndata: {"a":2}\n\ndata: [DONE]\n\ndata: {"a":3}\n\n',
  "events with carriage returns": 'data: {"a":1}\r\n\r\ndata: {"a":2}\r\rdata:{"a":3}',
  "an event of several lines": 'data: {"a":\ndata: 1}\n\n',
  "blank data lines": 'data:\ndata\ndata: {"a":\ndata:\ndata: 1}\n\n',
  "comments, names and ids": ': hi\nid: 5\nretry: 10\nevent: message\ndata: {"a":1}\n\n',
  "an error as an event":
    'event: error\ndata: {"message":"no"}\n\nevent: error\ndata: {"error":1}\n\nevent: error\ndata: plain words\n\ndata: {"a":1}\n\n',
  "an event that is cut": 'data: {"a":1}\n\ndata: {"a":',
  "lines of JSON": '{"a":1}\n{"a":2}\n',
  "an event that is broken behind another": 'data: {"a":1}\n\ndata: {broken\n\ndata: {"a":2}\n\n',
  "a line that is cut": '{"a":1}\n{"a":',
  "a document over lines": '{\n "a": 1\n}',
  "a list": '[{"a":1},\n{"a":2}]',
  "a byte order mark": '\ufeffdata: {"a":1}\n\n',
  "a web page": "<html>\n<p>busy</p>\n</html>",
  "events and words": 'data: {"a":1}\n\nbusy\n',
}

async function readBody(text: string, sizes: number): Promise<string> {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += sizes) controller.enqueue(bytes.slice(at, at + sizes))
      controller.close()
    },
  })
  const found: string[] = []
  try {
    for await (const value of readAnswerBody(body, (other) => found.push(`other ${JSON.stringify(other)}`)))
      found.push(JSON.stringify(value))
  } catch (error) {
    found.push(error instanceof Error ? error.name : "no error")
  }
  return found.join(" ")
}

test("every kind of body, however it is cut", async () => {
  const lines: string[] = []
  for (const [name, text] of Object.entries(bodies)) {
    const whole = await readBody(text, 1_000)
    for (const sizes of [1, 2, 3, 7]) expect(await readBody(text, sizes), name).toBe(whole)
    lines.push(`${name} → ${whole}`)
  }
  expect(lines.join("\n")).toMatchSnapshot()
  const none = readAnswerBody(null, () => undefined)
  expect(await none.next()).toEqual({ done: true, value: undefined })
})

test("N5 a body without an end is left, and is told", async () => {
  const comment = new TextEncoder().encode(`:${"x".repeat(999_998)}\n`)
  let pulled = 0
  let cancelled = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (pulled++ < 150) controller.enqueue(comment)
        else controller.close()
      },
      cancel: () => void cancelled++,
    },
    { highWaterMark: 0 },
  )
  const read = async () => {
    for await (const _ of readAnswerBody(body, () => undefined)) throw new Error("There is no value.")
  }
  await expect(read()).rejects.toMatchObject({ code: "model", evidence: { isRetryable: false } })
  expect([pulled, cancelled]).toEqual([101, 1])
})

test("N5 a refusal without an end is cut", async () => {
  let pulled = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (pulled++ < 150) controller.enqueue(new Uint8Array(100_000).fill(120))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  expect((await readRefusal(body)).length).toBe(1_100_000)
  expect(pulled).toBe(11)
})

describe("what a provider tells of its answer", () => {
  const partsOf = (chunks: readonly unknown[]) => {
    const reader = createChunkReader([], { model: "small" })
    return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]
  }
  const choices = [{ index: 0, delta: { content: "hi" }, finish_reason: "stop" }]

  test("T46 the model that served, its tier, its price and what it cites are kept", () => {
    const citations = ["https://a.example/1", "https://a.example/1", "https://b.example/"]
    const chunk = { model: "small-2026", service_tier: "flex", citations, choices, usage: { prompt_tokens: 3, cost: 0.002 } }
    const parts = partsOf([chunk, chunk])
    const report = { model: "small-2026", serviceTier: "flex", citations: ["https://a.example/1", "https://b.example/"] }
    expect(parts).toContainEqual({ type: "report", report })
    expect(parts).toContainEqual({ type: "usage", usage: { inputTokens: 3, costUsd: 0.002 } })
  })

  test("T46 annotations are citations, and a model of the same name is no news", () => {
    const annotations = [{ type: "url_citation", url_citation: { url: "https://a.example/" } }]
    const parts = partsOf([
      { model: "small", choices: [{ index: 0, delta: { content: "hi", annotations }, finish_reason: "stop" }] },
    ])
    expect(parts).toContainEqual({ type: "report", report: { citations: ["https://a.example/"] } })
    expect(partsOf([{ model: "small", choices }]).some(({ type }) => type === "report")).toBe(false)
  })

  test.each([-1, "12", null, {}])("T46 a count of %j is no part of the usage, and told unless it is null", (odd) => {
    const parts = partsOf([{ choices, usage: { prompt_tokens: odd, completion_tokens: 2 } }])
    expect(parts).toContainEqual({ type: "usage", usage: { outputTokens: 2 } })
    const told = parts.flatMap((part) => (part.type === "warning" ? [part.message] : []))
    expect(told).toEqual(
      odd === null ? [] : [`The usage report holds inputTokens = ${JSON.stringify(odd)}, which is no count, so it is left out.`],
    )
  })
})
