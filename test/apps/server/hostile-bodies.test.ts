import fc from "fast-check"
import { expect, test } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { manualClock, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { runs, seedOf } from "../../support/size.ts"

const polite: LanguageModel = {
  ...scriptedModel([]),
  capabilities: { ...scriptedModel([]).capabilities, attachments: ["image/*", "audio/*", "application/pdf"] },
  stream: (request, options) => scriptedModel([finish("Hello.")]).stream(request, options),
}

const parts = [
  { type: "text", text: "hi" },
  { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
  { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
  { type: "file", file: { file_data: "data:text/plain;base64,AAAA", filename: "a.txt" } },
]
const valid: Readonly<Record<string, unknown>> = {
  "POST /v1/chat/completions": {
    model: "fay",
    messages: [
      { role: "system", content: "Be kind." },
      { role: "assistant", content: "Yes?", images: [parts[1]], tool_calls: [] },
      { role: "user", content: parts, name: "Ann" },
    ],
    ...{ stream: true, stream_options: { include_usage: true }, tools: [], n: 1, temperature: 1, stop: ["x"], max_tokens: 9 },
  },
  "POST /v1/responses": {
    ...{
      model: "fay",
      instructions: "Be kind.",
      store: true,
      previous_response_id: "resp_1",
      text: { format: { type: "text" } },
    },
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Hi." },
          { type: "input_image", image_url: "data:image/png;base64,AA==" },
        ],
      },
      { id: "msg_1", type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes?", annotations: [] }] },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "seen" }] },
      { role: "user", content: "And now?" },
    ],
    ...{ stream: true, tools: [], max_output_tokens: 100 },
  },
  "POST /api/chat": {
    ...{ id: "c1", model: "fay", trigger: "submit-message", messageId: "m1" },
    messages: [
      { id: "m0", role: "assistant", parts: [{ type: "text", text: "Yes?" }] },
      { id: "m1", role: "user", parts: [parts[0], { type: "file", url: "data:image/png;base64,AA==", mediaType: "image/png" }] },
    ],
  },
  "POST /ag-ui": {
    ...{ threadId: "t", runId: "r", state: {}, tools: [], context: [{ description: "d", value: "v" }] },
    forwardedProps: { model: "fay" },
    messages: [
      { id: "0", role: "tool", content: "x" },
      {
        ...{ id: "1", role: "user" },
        content: [parts[0], { type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" } }],
      },
    ],
  },
  "GET /v1/models": undefined,
  "GET /api/chat/c1/stream?message=m1&model=fay": undefined,
  "DELETE /api/chat/c1/stream": undefined,
}

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
const words = [
  "",
  " ",
  "user",
  "__proto__",
  "constructor",
  "toString",
  "\ud800",
  "\u0000",
  "data:,",
  "http://[",
  "x".repeat(300_000),
]
const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, 0, -1, 1e308, [], {}, [null], { __proto__: null }, ...words) },
  fc.jsonValue(),
  fc.constantFrom(12_000, 120_000).map((depth) => JSON.parse(deep("[", "]", depth)) as unknown),
)

/** The paths of all values in a value. */
function pathsOf(within: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof within !== "object" || within === null) return [path]
  return [path, ...Object.entries(within).flatMap(([name, member]) => pathsOf(member, [...path, name]))]
}

/** A copy with another value at a path. */
function withValue(within: unknown, [name, ...rest]: readonly string[], put: unknown): unknown {
  if (name === undefined) return put
  if (typeof within !== "object" || within === null) return within
  if (Array.isArray(within)) return within.map((member, at) => (String(at) === name ? withValue(member, rest, put) : member))
  return { ...within, [name]: withValue((within as Readonly<Record<string, unknown>>)[name], rest, put) }
}

/** JSON of a value, also of one that is nested deeper than the call stack. */
function written(body: unknown): string {
  try {
    return JSON.stringify(body) ?? ""
  } catch {
    return `{"model":"fay","messages":${deep("[", "]", 120_000)}}`
  }
}

const request = fc.record({
  route: fc.constantFrom(...Object.keys(valid)),
  seed: fc.nat(),
  put: fc.array(value, { minLength: 1, maxLength: 2 }),
  raw: fc.option(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("{", "[]", deep('{"a":', "}", 50_000), "\ufeff{}")), {
    freq: 6,
  }),
  headers: fc.record(
    {
      "x-conversation": fc.constantFrom("c1", "c2"),
      "idempotency-key": fc.constantFrom("k1", "k2", "k".repeat(300)),
    },
    { requiredKeys: [] },
  ),
})

test("N10 no body of any route is answered with status 500, or breaks off", async () => {
  const { agent } = testAgent(polite, { memory: { enabled: false } })
  const errors: unknown[] = []
  const handle = createHandler({
    agents: { fay: agent },
    authorize: ({ headers }) => ({ user: "ann", conversation: headers.get("x-conversation") ?? undefined }),
    onError: (error) => errors.push(error),
    clock: manualClock(5_000),
  })
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ route, seed, put, raw, headers }) => {
      const [method = "", path = ""] = route.split(" ")
      const paths = pathsOf(valid[route])
      const body = put.reduce(
        (made, each, at) => withValue(made, paths[(seed + at * 7) % paths.length] ?? [], each),
        valid[route],
      )
      const init = method === "POST" ? { body: raw ?? written(body) } : {}
      const response = await handle(new Request(`http://bot.test${path}`, { method, headers, ...init }))
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      const text = await response.text()
      expect([response.status, response.status < 500 ? "" : text, errors.filter((error) => error instanceof TypeError)]).toEqual([
        expect.toSatisfy((status: number) => status < 500),
        "",
        [],
      ])
    }),
    { numRuns: runs(7_500), seed: seedOf(34) },
  )
  // Bodies that are only refused at the door would prove little.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(10)
  expect(statuses.get(400) ?? 0).toBeGreaterThan(10)
})
