import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { printJson } from "../../../src/prompt/tools/print-json.ts"

describe("printJson", () => {
  test("prints what JSON can hold as JSON.stringify does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(printJson(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  test("prints any value whatever, and never throws", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true, withNullPrototype: true }),
        (value) => {
          expect(typeof printJson(value)).toBe("string")
          expect(typeof printJson(value, { canonical: true })).toBe("string")
        },
      ),
    )
  })

  const self: Record<string, unknown> = { a: 1 }
  self.self = self
  const ring = new Map<string, unknown>()
  ring.set("ring", ring)
  const shared = { x: 1 }
  const endless = { toJSON: (): unknown => ({ next: { ...endless }, other: { ...endless } }) }
  const throwing = {
    get a(): unknown {
      throw new Error("no")
    },
  }

  test.each([
    ["a bigint", 12345678901234567890n, "12345678901234567890"],
    ["NaN", { a: Number.NaN, b: [Number.NEGATIVE_INFINITY] }, '{"a":"NaN","b":["-Infinity"]}'],
    [
      "a map",
      new Map<unknown, unknown>([
        ["a", 1],
        [2, new Set([3])],
      ]),
      '[["a",1],[2,[3]]]',
    ],
    ["a date", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ["an invalid date", new Date(Number.NaN), "null"],
    ["an error", [new TypeError("bad")], '["TypeError: bad"]'],
    ["bytes", { file: new Uint8Array(3) }, '{"file":"[Uint8Array 3]"}'],
    ["functions and symbols", { a: () => 1, b: Symbol("s"), c: [() => 1, undefined], d: undefined }, '{"c":[null,null]}'],
    ["a value inside itself", self, '{"a":1,"self":"[circular]"}'],
    ["a map inside itself", ring, '[["ring","[circular]"]]'],
    ["a value that stands twice", [shared, shared], '[{"x":1},{"x":1}]'],
    ["a getter that throws", [throwing, 1], '["[unreadable]",1]'],
    [
      "a toJSON that throws",
      {
        toJSON: () => {
          throw new Error("no")
        },
      },
      '"[unreadable]"',
    ],
    ["a toJSON without end", endless, '"[unreadable]"'],
    [
      "a proxy that refuses",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("no")
          },
        },
      ),
      '"[unreadable]"',
    ],
    ["an own __proto__", JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ])("prints %s", (_name, value, printed) => expect(printJson(value)).toBe(printed))

  test("does not run out of stack on deep values", () => {
    const depth = 50_000
    const text = "[".repeat(depth) + "]".repeat(depth)
    expect(printJson(JSON.parse(text))).toBe(text)
  })
})
