import { describe, expect, test } from "vitest"
import { invariant, messageOf, PromptStrataError } from "../../src/core/errors.ts"
import { locatedError } from "../../src/core/evidence/located-error.ts"

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

describe("PromptStrataError", () => {
  test("says what, where and what to do, and keeps the evidence and the cause", () => {
    const cause = new Error("below")
    const error = new PromptStrataError("prompt", "expected a, found b.", {
      source: { file: "p.md", line: 2, column: 3 },
      frame: "2 | b\n  | ^",
      hint: "Write a.",
      evidence: { kind: "rest-slot" },
      cause,
    })
    expect(error.message).toBe("p.md:2:3: expected a, found b.\n2 | b\n  | ^\nWrite a.")
    expect(error).toMatchObject({ name: "PromptStrataError", code: "prompt", evidence: { kind: "rest-slot" }, cause })
    expect(new PromptStrataError("prompt", "only this")).toMatchObject({ message: "only this", evidence: {} })
  })

  test("is known across copies of the package, and nothing else is taken for one", () => {
    const copy = Object.assign(new Error("x"), { [Symbol.for("promptstrata.error")]: true })
    expect(PromptStrataError.isInstance(copy)).toBe(true)
    expect(PromptStrataError.isInstance(new PromptStrataError("prompt", "x"))).toBe(true)
    for (const other of [null, undefined, "x", new Error("x"), {}, revoked()])
      expect(PromptStrataError.isInstance(other)).toBe(false)
  })

  test("an error about authored text has its file, line, column and a caret", () => {
    const error = locatedError("template", "expected }.", { file: "p.md", text: "a\n中b", position: { line: 2, column: 2 } })
    expect(error.message).toBe("p.md:2:2: expected }.\n1 | a\n2 | 中b\n  |   ^")
    expect(error.source).toEqual({ file: "p.md", line: 2, column: 2 })
  })
})

describe("messageOf", () => {
  const throwing = {
    toJSON() {
      throw new Error("no")
    },
  }
  const named = Object.assign(new RangeError(""), {})
  const odd = Object.defineProperty(new Error("x"), "message", { value: { not: "text" } })

  test.each<[string, unknown, string]>([
    ["an error", new Error("broken"), "broken"],
    ["an error without words", named, "RangeError"],
    ["an error whose message is no text", odd, "[object Object]"],
    ["a string", "broken", "broken"],
    ["an object", { code: 5 }, '{"code":5}'],
    ["nothing", undefined, "undefined"],
    ["a symbol", Symbol("x"), "Symbol(x)"],
    ["an object that throws", throwing, "[object Object]"],
    ["a revoked proxy", revoked(), "unknown"],
  ])("of %s is text", (_, thrown, text) => {
    expect(messageOf(thrown)).toBe(text)
  })
})

test("a broken invariant is our bug and no error of the caller's", () => {
  expect(() => invariant(true, "x")).not.toThrow()
  expect(() => invariant(0, "x holds")).toThrow("promptstrata invariant broken: x holds. Please report this as a bug.")
})
