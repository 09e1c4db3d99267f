import { describe, expect, test } from "vitest"
import { errorPartFault, thrownFault } from "../../../src/adapters/models/ai-sdk/provider-errors.ts"
import { connectionFault, type Fault, reportedFault, statusFault } from "../../../src/adapters/models/fault.ts"
import { headerSecrets, modelError, redactorOf } from "../../../src/adapters/models/model-error.ts"

const nowMs = 1_000_000

/** A fault in one line: kind, status, `again` if it may be tried again, the wait, the request, what was said. */
function line(fault: Fault | undefined): string {
  if (fault === undefined) return "no fault"
  const { kind, isRetryable, said, status, retryAfterMs, requestId } = fault
  const wait = retryAfterMs === undefined ? "" : ` in ${retryAfterMs} ms`
  return `${kind}${status === undefined ? "" : ` ${status}`}${isRetryable ? " again" : ""}${wait}${requestId === undefined ? "" : ` ${requestId}`}: ${said}`
}

describe("a status", () => {
  test.each([
    [400, "bad-request 400: no"],
    [401, "credentials 401: no"],
    [402, "quota 402: no"],
    [403, "forbidden 403: no"],
    [404, "not-found 404: no"],
    [408, "timeout 408 again: no"],
    [409, "server 409 again: no"],
    [422, "bad-request 422: no"],
    [429, "rate-limit 429 again: no"],
    [499, "bad-request 499: no"],
    [500, "server 500 again: no"],
    [599, "server 599 again: no"],
  ])("%d is the fault that it means", (status, expected) => {
    expect(line(statusFault({ status, error: { message: "no" } }, nowMs))).toBe(expected)
    expect(line(reportedFault({ code: status, message: "no" }))).toBe(expected)
    expect(line(errorPartFault({ statusCode: status, error: { message: "no" } }, nowMs))).toBe(expected)
    expect(line(thrownFault({ statusCode: status, responseBody: '{"error":{"message":"no"}}' }, { begun: false, nowMs }))).toBe(
      expected,
    )
  })

  test.each([
    [{ status: 429, error: { code: "insufficient_quota" } }, 'quota 429: {"code":"insufficient_quota"}'],
    [{ status: 499, message: "499 <html>" }, "web-page 499: a web page"],
    [{ status: 500, message: "500 \n<html>" }, "server 500 again: a web page"],
    [{ status: 400, error: "words" }, "bad-request 400: words"],
    [{ status: 400, error: { detail: "inner" } }, "bad-request 400: inner"],
    [{ status: 400, error: { error: "inmost" } }, "bad-request 400: inmost"],
    [{ status: 400, error: [1] }, "bad-request 400: [1]"],
    [{ status: 400, message: "400 and 500 words" }, "bad-request 400: and 500 words"],
    [{ status: 400, error: "x", headers: { "x-request-id": "r1" } }, "bad-request 400: x"],
    [{ status: "400" }, "no fault"],
  ])("with what comes beside it: %j", (thrown, expected) => {
    expect(line(statusFault(thrown, nowMs))).toBe(expected)
  })

  const date = new Date(nowMs + 5_000).toUTCString()
  test.each<[Record<string, string>, number | undefined]>([
    [{ "retry-after-ms": "1.2" }, 2],
    [{ "retry-after-ms": "0", "retry-after": "9" }, 0],
    [{ "retry-after-ms": "-1", "retry-after": " 9 " }, 9_000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "-1" }, undefined],
    [{ "retry-after": " " }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": date }, 5_000],
    [{ "retry-after": date, date: new Date(nowMs + 4_000).toUTCString() }, 1_000],
    [{ "retry-after": date, date: "now" }, 5_000],
    [{ "retry-after": date, date: new Date(nowMs + 6_000).toUTCString() }, undefined],
  ])("asks with %j to wait %j ms", (headers, expected) => {
    expect(statusFault({ status: 429, headers: new Headers(headers) }, nowMs)?.retryAfterMs).toBe(expected)
    expect(thrownFault({ statusCode: 429, responseHeaders: headers }, { begun: true, nowMs }).retryAfterMs).toBe(expected)
  })
})

test.each([
  [{ code: 399, message: "x" }, "reported again: x"],
  [{ code: 600, message: "x" }, "reported again: x"],
  [{ code: "insufficient_quota", message: "x" }, "reported: x"],
  [{ type: "invalid_request_error", message: "x" }, "reported: x"],
  [{ type: "other_invalid_request", message: "x" }, "reported again: x"],
  ["words", "reported again: words"],
  [undefined, "reported again: "],
])("what a stream reports is read: %j", (error, expected) => {
  expect(line(reportedFault(error))).toBe(expected)
})

const failed = (code: string, message = "m", cause?: unknown): Error => Object.assign(new Error(message, { cause }), { code })
class APIConnectionError extends Error {}

test.each([
  [failed("ECONNREFUSED"), "refused again: m ECONNREFUSED"],
  [failed("ENOTFOUND"), "no-such-host: m ENOTFOUND"],
  [failed("CERT_HAS_EXPIRED"), "certificate: m CERT_HAS_EXPIRED"],
  [failed("DEPTH_ZERO_SELF_SIGNED"), "certificate: m DEPTH_ZERO_SELF_SIGNED"],
  [failed("ERR_SSL_X"), "certificate: m ERR_SSL_X"],
  [failed("ETIMEDOUT"), "timeout again: m ETIMEDOUT"],
  [failed("UND_ERR_CONNECT_TIMEOUT"), "timeout again: m UND_ERR_CONNECT_TIMEOUT"],
  [new Error("it timed out"), "timeout again: it timed out"],
  [new APIConnectionError("broken"), "network again: broken"],
  [failed("E", "out", failed("ENOTFOUND", "in")), "other: in E"],
  [new Error("out", { cause: failed("ENOTFOUND", "in") }), "no-such-host: in ENOTFOUND"],
  [
    new AggregateError([failed("ECONNREFUSED", "first"), failed("ENOTFOUND", "second")], "all"),
    "refused again: first ECONNREFUSED",
  ],
  [new Error("alone"), "other: alone"],
])("a connection that failed is read: %s", (thrown, expected) => {
  expect(line(connectionFault(thrown, false))).toBe(expected)
  expect(line(connectionFault(thrown, true))).toBe(expected.replace(/^\S+( again)?:/, "broken again:"))
})

test("causes are followed to the eighth and no further", () => {
  const chain = (length: number): Error =>
    length === 0 ? failed("ENOTFOUND", "last") : new Error(`at ${length}`, { cause: chain(length - 1) })
  expect(line(connectionFault(chain(8), false))).toBe("no-such-host: last ENOTFOUND")
  expect(line(connectionFault(chain(9), false))).toBe("other: at 1")
})

test.each([
  ["AI_LoadAPIKeyError", "credentials: m"],
  ["AI_LoadSettingError", "bad-request: m"],
  ["AI_NoSuchModelError", "not-found: m"],
  ["AI_InvalidPromptError", "bad-request: m"],
  ["AI_InvalidArgumentError", "bad-request: m"],
  ["AI_UnsupportedFunctionalityError", "bad-request: m"],
  ["AI_EmptyResponseBodyError", "broken again: m"],
  ["AI_InvalidResponseDataError", "broken again: m"],
  ["AI_JSONParseError", "broken again: m"],
  ["AI_TypeValidationError", "broken again: m"],
  ["TimeoutError", "timeout again: m"],
  ["Error", "other: m"],
])("an error of the AI SDK is read by its name: %s", (name, expected) => {
  const error = Object.assign(new Error("m"), { name })
  expect(line(thrownFault(error, { begun: false, nowMs }))).toBe(expected)
  if (name === "Error") {
    expect(line(thrownFault(Object.assign(error, { isRetryable: false }), { begun: false, nowMs }))).toBe(expected)
    expect(line(thrownFault(Object.assign(error, { isRetryable: true }), { begun: false, nowMs }))).toBe("network again: m")
    expect(line(errorPartFault(error, nowMs))).toBe("broken again: m")
  }
})

test.each([
  [{ response: { error: { message: "inner" } } }, "reported again: inner"],
  [{ error: { message: "inner", status: 503 } }, "server 503 again: inner"],
  [{ error: { message: "inner", statusCode: 503 }, isRetryable: false }, "server 503: inner"],
  [{ message: "outer", status: 400, isRetryable: true }, "bad-request 400 again: outer"],
  [{ message: "outer", status: 200 }, "reported again: outer"],
  ["words", "reported again: words"],
])("an error part of a stream is read: %j", (error, expected) => {
  expect(line(errorPartFault(error, nowMs))).toBe(expected)
})

test("each kind of fault has its headline and advice; an adapter's own advice comes first", () => {
  const kinds = ["credentials", "not-found", "web-page", "not-streamed", "refused", "no-such-host", "other"] as const
  const common = [
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
  ] as const
  const words = [...kinds, ...common].map((kind) => {
    const target = { id: "x:m", url: "http://x", redact: (text: string) => text, advice: { network: "Own advice." } }
    const { message, evidence, hint } = modelError({ kind, isRetryable: false, said: kind === "other" ? "" : "said" }, target)
    expect(evidence).toEqual({ isRetryable: false, kind })
    return `${kind} is ${message.split("\n")[0]} | ${hint}`
  })
  expect(words.join("\n")).toMatchInlineSnapshot(`
    "credentials is x:m could not be reached (http://x): said | undefined
    not-found is x:m could not be reached (http://x): said | undefined
    web-page is x:m did not answer as a model does (http://x): said | undefined
    not-streamed is x:m did not answer as a model does (http://x): said | undefined
    refused is x:m could not be reached (http://x): said | undefined
    no-such-host is x:m could not be reached (http://x): said | undefined
    other is x:m could not be reached (http://x). | undefined
    bad-request is x:m could not be reached (http://x): said | The server did not accept the request. Check the model's context length and the options you set for it.
    forbidden is x:m could not be reached (http://x): said | The key is valid but may not use this model. Check the account's access to it.
    quota is x:m could not be reached (http://x): said | The account's quota is used up. Check its plan and billing.
    rate-limit is x:m could not be reached (http://x): said | Too many requests: wait and try again, or lower the rate.
    server is x:m could not be reached (http://x): said | The server failed on its side. Try again later.
    reported is x:m reported an error (http://x): said | The provider reported this while it was answering.
    broken is x:m broke off in the middle of its answer (http://x): said | The connection broke in the middle of the answer. Try again.
    certificate is x:m could not be reached (http://x): said | The server's TLS certificate was not accepted. Check the base URL's scheme and the certificate.
    timeout is x:m could not be reached (http://x): said | The server took too long to answer. Try again, or check its load.
    network is x:m could not be reached (http://x): said | Own advice."
  `)
})

test("an error holds what was said in one line of 300 characters, and no secret", () => {
  const redact = redactorOf(["12345678", "1234567", "123456789"], 8)
  const target = { id: "x:m", url: "http://x", redact, advice: {} }
  const saidOf = (said: string): string =>
    modelError({ kind: "server", isRetryable: true, said, status: 500 }, target).message.split("\n")[0] ?? ""
  expect(saidOf("a\nb 123456789 12345678 1234567")).toBe("x:m answered with status 500 (http://x): a b [secret] [secret] 1234567")
  expect(saidOf("😀".repeat(300))).toBe(`x:m answered with status 500 (http://x): ${"😀".repeat(300)}`)
  expect(saidOf("😀".repeat(301))).toBe(`x:m answered with status 500 (http://x): ${"😀".repeat(300)}…`)
  const { evidence } = modelError(
    { kind: "server", isRetryable: true, said: "", requestId: "r 12345678", retryAfterMs: 5 },
    target,
  )
  expect(evidence).toEqual({ kind: "server", isRetryable: true, requestId: "r [secret]", retryAfterMs: 5 })
  expect(headerSecrets(["Bearer abc", "def"])).toEqual(["Bearer abc", "abc", "def", "def"])
})
