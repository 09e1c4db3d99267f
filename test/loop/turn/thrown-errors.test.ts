import { expect, test } from "vitest"
import { geminiPictureTokens } from "../../../src/adapters/models/picture-tokens.ts"
import { nativeNames } from "../../../src/prompt/tools/native-names.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"

test("what an adapter throws may pass, or not, by what it says of itself", async () => {
  const thrown: readonly unknown[] = [
    ...[400, 407, 408, 409, 410, 428, 429, 430, 499, 500, 503, 599].map((status) => Object.assign(new Error("x"), { status })),
    ...[408, 404].map((statusCode) => Object.assign(new Error("x"), { status: 404, statusCode })),
    ...[true, false].map((isRetryable) => Object.assign(new Error("x"), { status: 500, isRetryable })),
    ...[new TypeError("fetch failed"), new RangeError("x"), "words", { status: 429 }],
  ]
  const told: string[] = []
  for (const error of thrown) {
    const model = {
      ...scriptedModel([]),
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }),
    }
    const result = await testAgent(model).session.send("hi").result
    const { isRetryable, model: asked } = (result.ok ? {} : result.error.evidence) as Readonly<Record<string, unknown>>
    told.push(`${JSON.stringify(error)} ${String(error)} → ${asked} ${isRetryable}`)
  }
  expect(told.join("\n")).toMatchSnapshot()
})

test("names for providers have at most 64 characters, and no two tools have one", () => {
  const long = "ä".repeat(70)
  const names = ["a", "a.b", "a_b", "a b", long, `${long}x`, "b".repeat(64), `${"b".repeat(64)}.`, "", "名"]
  const native = nativeNames(names.map((name) => ({ name })))
  const given = names.map((name) => native.of(name))
  expect(new Set(given).size).toBe(names.length)
  expect(Math.max(...given.map(({ length }) => length))).toBe(64)
  expect(given.map((name) => `${name} ${name.length}`)).toMatchSnapshot()
  expect(native.of("another.one")).toBe("another_one")
})

test("Gemini counts 258 tokens for each tile of 768 pixels", () => {
  const sizes = [
    [1, 1],
    [384, 384],
    [385, 384],
    [768, 768],
    [769, 768],
    [768, 769],
    [1_537, 2_000],
  ] as const
  expect(sizes.map(([width, height]) => geminiPictureTokens(width, height) / 258)).toEqual([1, 1, 1, 1, 2, 2, 9])
})
