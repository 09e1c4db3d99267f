import { describe, expect, test } from "vitest"
import { type TiktokenCounterOptions, tiktokenCounter } from "../../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import { near } from "../../../support/error-formulas.ts"
import { modulesLoadedBy, packagesAmong } from "../../../support/loaded-modules.ts"
import { root } from "../../../support/source-files.ts"
import { both, encodings } from "./encoders.ts"

const text = "The weather in 杭州 is 21 °C 😀 <|endoftext|>\r\n"

describe("tiktokenCounter", () => {
  test.each(encodings)("counts %s by its name, exactly", async (encoding) => {
    const counter = await tiktokenCounter({ encoding })
    expect(counter.exact).toBe(true)
    expect(counter.count(text)).toBe(both(encoding).tiktoken.encode_ordinary(text).length)
  })

  test.each([
    ["gpt-4o", "o200k_base", true],
    ["gpt-5.1-mini", "o200k_base", true],
    ["gpt-4", "cl100k_base", true],
    ["text-davinci-003", "p50k_base", true],
    ["deepseek-chat", "o200k_base", false],
    ["qwen3:8b", "o200k_base", false],
  ] as const)("counts the model %s with %s, exact: %s", async (model, encoding, exact) => {
    const counter = await tiktokenCounter({ model })
    expect(counter.exact).toBe(exact)
    expect(counter.count(text)).toBe(both(encoding).tiktoken.encode_ordinary(text).length)
  })

  test("counts what reads like a special token as the text it is, where tiktoken's encode would throw", async () => {
    const counter = await tiktokenCounter({ model: "gpt-4o" })
    expect(() => both("o200k_base").tiktoken.encode("<|endoftext|>")).toThrow()
    expect(counter.count("<|endoftext|>")).toBe(7)
  })

  test("counts nothing of an empty text, which has no pieces", async () => {
    const counter = await tiktokenCounter({ model: "gpt-4o" })
    expect(counter.count("")).toBe(0)
    expect(counter.pieces("")).toEqual(new Uint32Array())
  })

  test("says where pieces begin, in UTF-16 offsets", async () => {
    const counter = await tiktokenCounter({ model: "gpt-4o" })
    expect([...counter.pieces("😀 Don't, 你好  x1234")]).toEqual([0, 2, 8, 9, 12, 13, 15, 18])
  })

  test("adds 3 tokens a message, its role's and 3 for the reply", async () => {
    const counter = await tiktokenCounter({ model: "gpt-4o" })
    const messages = ["system", "user", "assistant", "developer", "tool"].map((role) => ({ role, content: "任意" }))
    expect(counter.overhead?.(messages)).toBe(5 * 4 + 3)
    expect(counter.overhead?.([])).toBe(3)
  })

  test("knows no overhead for encodings without chat models", async () => {
    expect((await tiktokenCounter({ encoding: "p50k_base" })).overhead).toBeUndefined()
  })

  test("loads an encoding once for all its counters", async () => {
    const [first, second, other] = await Promise.all([
      tiktokenCounter({ model: "gpt-4o" }),
      tiktokenCounter({ model: "mistral-large" }),
      tiktokenCounter({ model: "gpt-4" }),
    ])
    expect(second.count).toBe(first.count)
    expect(other.count).not.toBe(first.count)
  })

  test.each([
    [{}, "neither"],
    [{ model: "" }, "neither"],
    [{ encoding: "o200k_bas" }, near("o200k_base")],
    [{ encoding: "__proto__" }, "There is no encoding"],
  ])("refuses %o", async (options, message) => {
    const refused = tiktokenCounter(options as unknown as TiktokenCounterOptions)
    await expect(refused).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(message) })
  })

  test("loads nothing of tiktoken before it is called", () => {
    expect(packagesAmong(modulesLoadedBy(`${root}src/adapters/tokenizers/tiktoken/index.ts`))).not.toContain("tiktoken")
  })
})
