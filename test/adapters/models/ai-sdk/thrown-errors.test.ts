import { APICallError, type LanguageModelV4StreamPart, LoadAPIKeyError } from "@ai-sdk/provider"
import { MockLanguageModelV4 } from "ai/test"
import { describe, expect, test } from "vitest"
import { type AiSdkLanguageModel, aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"
import { failure } from "./failure.ts"
import { finish, modelV4, streamOf, textBlock } from "./mock-models.ts"

const request = { messages: [{ role: "user" as const, content: "hi" }] }

describe("errors that providers throw or stream themselves", () => {
  const throwing = (error: unknown) => new MockLanguageModelV4({ doStream: async () => Promise.reject(error) })
  const streaming = (error: unknown) => modelV4(...textBlock("half"), { type: "error", error })

  test.each<[string, unknown, Record<string, unknown>, RegExp]>([
    ["a missing key", new LoadAPIKeyError({ message: "X_API_KEY is missing" }), { kind: "credentials" }, /Check the key/],
    [
      "an overload in Anthropic's words",
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      { kind: "reported", isRetryable: true },
      /reported an error .*: Overloaded/,
    ],
    [
      "a request that is at fault",
      { error: { type: "invalid_request_error", message: "too long" } },
      { kind: "reported", isRetryable: false },
      /too long/,
    ],
    ["a status of its own", { message: "slow", statusCode: 429, isRetryable: true }, { kind: "rate-limit", status: 429 }, /slow/],
    ["a provider's own verdict", { message: "gone", isRetryable: false }, { kind: "reported", isRetryable: false }, /gone/],
    ["a bare sentence", "worker died", { kind: "reported", isRetryable: true }, /worker died/],
    ["nothing", undefined, { isRetryable: true }, /reported an error/],
    ["a bug", new TypeError("x is not a function"), { kind: "broken" }, /x is not a function/],
  ])("%s as an error part ends the stream, and what was said stays", async (_, error, evidence, message) => {
    const failed = await failure(streaming(error))
    expect(failed.parts).toEqual([{ type: "text-delta", delta: "half" }])
    expect(failed.error).toMatchObject({ code: "model", evidence, message: expect.stringMatching(message) })
  })

  test("a bug in a provider is no network fault, and an unknown network fault is one", async () => {
    expect((await failure(throwing(new TypeError("x is not a function")))).error.evidence).toEqual({
      kind: "other",
      isRetryable: false,
    })
    const network = new APICallError({
      message: "Cannot connect",
      url: "https://a.b/c?key=abc",
      requestBodyValues: {},
      isRetryable: true,
    })
    const { error } = await failure(throwing(network))
    expect(error.evidence).toEqual({ kind: "network", isRetryable: true })
    expect(error.message).toContain("(https://a.b/c)")
  })

  test("a provider that throws before it returns a promise is an error all the same", async () => {
    const model = {
      ...modelV4(),
      doStream: () => {
        throw new Error("at once")
      },
    }
    expect((await failure(model as unknown as AiSdkLanguageModel)).error.message).toContain("at once")
  })

  test("a provider whose headers are fetched is not waited for", async () => {
    const config = { headers: () => Promise.reject(new Error("no token")) }
    const { error } = await failure(Object.assign(throwing(new Error("refused")), { config }))
    expect(error.message).toContain("refused")
    await new Promise(setImmediate)
  })

  test("an error after the finish costs a warning, not the answer", async () => {
    const model = modelV4(...textBlock("done"), finish, { type: "error", error: "late" })
    const parts: ModelPart[] = []
    for await (const part of aiSdkModel(model).stream(request, { signal: new AbortController().signal })) parts.push(part)
    expect(parts.map((part) => part.type)).toEqual(["text-delta", "warning", "usage", "finish"])
  })

  test("tool calls that came before the error are never yielded", async () => {
    const call = { type: "tool-call" as const, toolCallId: "a", toolName: "pay", input: "{}" }
    expect((await failure(modelV4(call, { type: "error", error: "x" }))).parts).toEqual([])
  })

  test("a JSON document instead of a stream is one that does not stream", async () => {
    const answer = async () => ({
      ...streamOf<LanguageModelV4StreamPart>(),
      response: { headers: { "Content-Type": "application/json" } },
    })
    const model = new MockLanguageModelV4({ doStream: answer })
    expect((await failure(model)).error.evidence).toEqual({ kind: "not-streamed", isRetryable: false })
  })

  test.each(["sk-abcdefghijkl", "Bearer abcdefghijkl", "your API key: abcdefghijkl"])(
    "%s is blanked out by its shape",
    async (said) => {
      const { error } = await failure(throwing(new Error(`refused ${said}`)))
      expect(error.message).not.toContain("abcdefghijkl")
    },
  )
})
