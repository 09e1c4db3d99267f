import { describe, expect, test } from "vitest"
import { fillArguments } from "../../../src/loop/turn/prepare.ts"

describe("fillArguments (T25)", () => {
  test("fills the question at every depth, any number of times, and nothing else", () => {
    const args = {
      q: "{{question}}",
      list: ["问：{{question}}", { deep: "{{question}}/{{question}}" }],
      n: 5,
      off: false,
      none: null,
      other: "{{name}}",
    }
    expect(fillArguments(args, { question: "天气" })).toEqual({
      q: "天气",
      list: ["问：天气", { deep: "天气/天气" }],
      n: 5,
      off: false,
      none: null,
      other: "{{name}}",
    })
    expect(args.q).toBe("{{question}}")
  })

  test.each(["{{question}}", "$&", "$1 $` $'", "\u0024{question}", ""])("puts the question %j in as it is, once", (question) => {
    expect(fillArguments({ q: "<{{question}}>" }, { question })).toEqual({ q: `<${question}>` })
  })

  test("never fills keys and keeps __proto__ an own key", () => {
    const filled = fillArguments(JSON.parse('{"__proto__":{"x":"{{question}}"},"{{question}}":1}'), { question: "q" })
    expect(JSON.stringify(filled)).toBe('{"__proto__":{"x":"q"},"{{question}}":1}')
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype)
  })
})
