import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { sanitise, sanitiseJson } from "../../../src/prompt/encode/sanitise.ts"
import { anyText } from "./arbitrary-text.ts"

describe("sanitising a JSON value", () => {
  test("cleans every string and key, keeps everything else, and counts what it took out", () => {
    const given = { "a\u202e": ["x\u001b", 1, null, { "\u{e0041}": true }], b: "clean" }
    expect(sanitiseJson(given)).toEqual({
      value: Object.assign(Object.create(null), { a: ["x", 1, null, { "": true }], b: "clean" }),
      removed: 3,
      kinds: ["bidi", "control", "tags"],
    })
  })

  test("agrees with the cleaned text of the value for any JSON value, and doing it twice changes nothing", () => {
    const { value: json } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        anyText,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value"), { maxKeys: 3 }),
      ),
    }))
    const cleaned = (value: unknown): unknown => {
      if (typeof value === "string") return sanitise(value).text
      if (Array.isArray(value)) return value.map(cleaned)
      if (typeof value !== "object" || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleaned(inner)]))
    }
    fc.assert(
      fc.property(json, (value) => {
        const once = sanitiseJson(value)
        expect(JSON.stringify(once.value)).toBe(JSON.stringify(cleaned(value)))
        expect(sanitiseJson(once.value).removed).toBe(0)
      }),
      { numRuns: 1000 },
    )
  })

  test("loses no key when two become equal: the later one stays as it was", () => {
    const { value } = sanitiseJson({ a: 1, "a\u202e": 2, "\u202eb": 3, "b\u202e": 4 })
    expect(Object.entries(value)).toEqual([
      ["a", 1],
      ["a\u202e", 2],
      ["b", 3],
      ["b\u202e", 4],
    ])
  })

  test("a name that objects have of their own is a key like any other", () => {
    const { value } = sanitiseJson(JSON.parse('{"__proto__":{"polluted":"x\u202e"},"constructor":1}') as Record<string, unknown>)
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"])
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":"x"},"constructor":1}')
  })

  test("values that hold one another or themselves are walked once, however many ways lead to them", () => {
    let shared: unknown = "x\u202e"
    for (let depth = 0; depth < 100; depth++) shared = [shared, shared]
    expect(sanitiseJson(shared).removed).toBe(2)
    const circular: Record<string, unknown> = { text: "x\u202e" }
    circular.self = circular
    const { value, removed } = sanitiseJson(circular)
    expect([value.self, value.text, removed]).toEqual([value, "x", 1])
  })

  test("values of 200 levels are cleaned, in lists and in objects, and deeper ones stay", () => {
    const wraps = [(inner: unknown): unknown => [inner], (inner: unknown): unknown => ({ inner })]
    for (const wrap of wraps) {
      for (const [levels, removed] of [
        [200, 1],
        [201, 1],
        [202, 0],
      ] as const) {
        let value: unknown = ["x\u202e"]
        for (let level = 1; level < levels; level++) value = wrap(value)
        expect(sanitiseJson(value).removed, `${levels} levels`).toBe(removed)
      }
    }
  })

  test("never throws: deep values end, hostile ones and instances stay as they are", () => {
    let deep: unknown = "x\u202e"
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(() => sanitiseJson(deep)).not.toThrow()
    const hostile = Object.defineProperty({}, "x", {
      enumerable: true,
      get() {
        throw new Error("no")
      },
    })
    const date = new Date(0)
    expect(sanitiseJson({ hostile, date }).value).toEqual({ hostile, date })
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(() => sanitiseJson({ proxy })).not.toThrow()
  })
})
