import { expect, test } from "vitest"
import { aiSdkError, errorPartFault, thrownFault } from "../../../src/adapters/models/ai-sdk/provider-errors.ts"
import { connectionFault, reportedFault, statusFault } from "../../../src/adapters/models/fault.ts"
import { modelError, redactorOf } from "../../../src/adapters/models/model-error.ts"

const line = (name: unknown, fault: unknown): string =>
  `${typeof name === "string" ? name : JSON.stringify(name)} → ${JSON.stringify(fault)}`
const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const statuses = [399, 400, 401, 402, 403, 404, 405, 408, 409, 413, 422, 429, 499, 500, 503, 599, 600]

test("what every status, body and header of a failed answer means", () => {
  const bodies = [
    ...[
      undefined,
      "words",
      "",
      { message: "m", detail: "d" },
      { detail: "d" },
      { error: "e" },
      { other: 1 },
      5,
      "<html>busy</html>",
      " <p>",
    ],
    ...[{ code: "insufficient_quota", message: "m" }, { code: "other" }, { code: 402 }],
  ]
  const headers = [
    ...["0", "1.2", "-1", "soon", " 2 ", ""].map((value) => ({ "retry-after": value })),
    ...["Fri, 02 Jan 2026 03:04:15 GMT", "Fri, 02 Jan 2026 03:04:00 GMT"].map((value) => ({ "retry-after": value })),
    { "retry-after": "Fri, 02 Jan 2026 03:04:15 GMT", date: "Fri, 02 Jan 2026 03:04:10 GMT" },
    ...["1500.2", "-5", "x"].map((value) => ({ "retry-after-ms": value, "retry-after": "9" })),
    { "x-request-id": "r1" },
  ]
  const lines = [
    ...statuses.map((status) => line(status, statusFault({ status, message: `${status} no` }, nowMs))),
    ...bodies.flatMap((error) =>
      [400, 500].map((status) => line([status, error ?? "none"], statusFault({ status, error, message: "400 said" }, nowMs))),
    ),
    ...headers.map((given) => line(given, statusFault({ status: 429, headers: new Headers(given), error: "busy" }, nowMs))),
    ...[undefined, {}, { status: "400" }, new Error("x")].map((thrown) =>
      line(String(thrown), statusFault(thrown, nowMs) ?? "none"),
    ),
  ]
  expect(lines.join("\n")).toMatchSnapshot()
})

test("what errors inside an answer, and broken connections, mean", () => {
  const reported = [
    ...["words", {}, { message: "m" }, { code: 399 }, { code: 400 }, { code: 429 }, { code: 502, message: "m" }, { code: 600 }],
    ...[
      { code: "insufficient_quota" },
      { type: "invalid_request_error" },
      { type: "server_error" },
      { code: 429, type: "invalid_request_error" },
    ],
  ]
  const coded = (code: string, message = "fetch failed") =>
    new Error(message, { cause: Object.assign(new Error(`cause ${code}`), { code }) })
  class APIConnectionError extends Error {}
  const deep = Array.from({ length: 10 }).reduce<Error>(
    (cause, _, at) => new Error(`level ${at}`, { cause }),
    Object.assign(new Error("root"), { code: "ECONNREFUSED" }),
  )
  const thrown = [
    ...[
      "ECONNREFUSED",
      "ENOTFOUND",
      "CERT_HAS_EXPIRED",
      "SELF_SIGNED_CERT",
      "ERR_SSL_X",
      "UND_ERR_CONNECT_TIMEOUT",
      "ETIMEDOUT",
      "ECONNRESET",
    ].map((code) => coded(code)),
    ...[
      coded("", "timed out"),
      new Error("it timed out"),
      new APIConnectionError("no"),
      new Error("odd"),
      "words",
      undefined,
      null,
    ],
    ...[
      new AggregateError([Object.assign(new Error("first"), { code: "ENOTFOUND" }), new Error("second")], "all"),
      new Error("x", { cause: null }),
      deep,
    ],
  ]
  const lines = [
    ...reported.map((error) => line(error, reportedFault(error))),
    ...thrown.flatMap((error) => [false, true].map((begun) => line(`${String(error)} ${begun}`, connectionFault(error, begun)))),
  ]
  expect(lines.join("\n")).toMatchSnapshot()
})

const names = [
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_NoSuchModelError",
  "AI_InvalidPromptError",
  "AI_InvalidArgumentError",
]
const more = ["AI_UnsupportedFunctionalityError", "AI_EmptyResponseBodyError", "AI_InvalidResponseDataError", "AI_JSONParseError"]

test("what a provider of the AI SDK throws or reports", () => {
  const named = [...names, ...more, "AI_TypeValidationError", "TimeoutError", "AI_Other"].map((name) =>
    Object.assign(new Error("said"), { name }),
  )
  const answered = [
    ...statuses.map((statusCode) => ({ statusCode, message: "m" })),
    {
      statusCode: 429,
      responseHeaders: { "retry-after": "3", "request-id": "r2" },
      responseBody: '{"error":{"message":"body"}}',
    },
    {
      statusCode: 429,
      responseHeaders: { "x-request-id": "r1", "request-id": "r2", "retry-after-ms": "7" },
      responseBody: "plain",
    },
    { statusCode: 400, responseBody: '{"message":"top"}', data: { error: { message: "data" } } },
    { statusCode: 400, responseBody: "no json", data: { error: { message: "data" } } },
    { statusCode: 400, responseBody: "{}", data: { message: "data" }, message: "m" },
  ]
  const parts = [
    ...[
      "words",
      {},
      { error: { message: "e" } },
      { response: { error: { message: "r" } } },
      { statusCode: 503, error: { message: "e" } },
    ],
    ...[
      { status: 401 },
      { error: { status: 404, message: "e" } },
      { error: { statusCode: 402 } },
      { statusCode: 600, message: "m" },
    ],
    ...[
      { isRetryable: false, statusCode: 500 },
      { isRetryable: true, message: "m" },
      { error: {}, message: "outer" },
    ],
  ]
  const lines = [
    ...named.flatMap((error) =>
      [false, true].map((begun) => line(`${error.name} ${begun}`, thrownFault(error, { begun, nowMs }))),
    ),
    ...answered.map((error) => line(error, thrownFault(error, { begun: false, nowMs }))),
    line("retryable", thrownFault(Object.assign(new Error("odd"), { isRetryable: true }), { begun: false, nowMs })),
    line("retryable, begun", thrownFault(Object.assign(new Error("odd"), { isRetryable: true }), { begun: true, nowMs })),
    ...parts.map((part) => line(part, errorPartFault(part, nowMs))),
    line("an error as a part", errorPartFault(new Error("odd"), nowMs)),
  ]
  expect(lines.join("\n")).toMatchSnapshot()
})

test("the sentence about every kind of fault, and the secrets that it hides", () => {
  const kinds = [
    "bad-request",
    "forbidden",
    "quota",
    "rate-limit",
    "server",
    "reported",
    "broken",
    "certificate",
    "timeout",
    "network",
  ]
  const others = ["credentials", "not-found", "web-page", "not-streamed", "refused", "no-such-host", "other"]
  const target = {
    id: "m",
    url: "https://x/y",
    redact: redactorOf(["hunter2", "hunter2-long", "abc"], 6),
    advice: { forbidden: "Own advice." },
  }
  const said = "said hunter2-long\nand hunter2 and abc"
  const model = {
    provider: "p",
    config: {
      headers: () => ({ authorization: "Bearer hidden-value", "content-type": "application/json", "x-a": "another-one" }),
    },
  }
  const lines = [...kinds, ...others].flatMap((kind) => {
    const fault = { kind: kind as never, isRetryable: false, said, requestId: "id-hunter2-long" }
    const common = modelError(fault, target)
    const own = aiSdkError(
      {
        ...fault,
        status: 418,
        said: "hidden-value another-one application/json sk-abcdef Bearer abcdef api key: zzzzzz",
      } as never,
      { id: "m", model: model as never, headers: { z: "given-header" } },
      { url: "https://u:p@host/path?q=1" },
    )
    return [`## ${kind}`, common.message, JSON.stringify(common.evidence), own.message, ""]
  })
  const long = ["x".repeat(300), "x".repeat(301), "😀".repeat(301), ""].map(
    (text) => modelError({ kind: "server", isRetryable: true, said: text }, target).message.length,
  )
  expect([...lines, JSON.stringify(long)].join("\n")).toMatchSnapshot()
  expect(
    aiSdkError({ kind: "server", isRetryable: true, said: "x" }, { id: "m", model: { provider: "p" } as never, headers: {} })
      .message,
  ).toContain("(provider p)")
})
