import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readNativeArguments } from "../../../src/loop/turn/calls/native-arguments.ts"
import { runs } from "../../support/size.ts"

const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`

describe("arguments that are written as JSON.stringify writes them", () => {
  // White space before them, and they are read as a decision is.
  const sameAsRead = (text: string) => {
    for (const isWhole of [true, false]) {
      const [exact, read] = [readNativeArguments(text, isWhole), readNativeArguments(` ${text}`, isWhole)]
      expect(exact.args).toEqual(read.args)
      expect(exact.repeatedName).toBe(read.repeatedName)
      expect(exact.fault?.unfinished).toBe(read.fault?.unfinished)
    }
  }

  test("are what a reader of decisions makes of them", () => {
    const units = fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "\u2028", "北", "\ud83d", "\ude00", "ud", "{", "]") })
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        units,
        fc.double({ noNaN: true }),
        fc.constant(null),
        fc.boolean(),
        tie("list"),
        tie("object"),
      ),
      list: fc.array(tie("value"), { maxLength: 3 }),
      object: fc.dictionary(fc.oneof(units, fc.constantFrom("__proto__", "action", "args", "7")), tie("value"), { maxKeys: 3 }),
    })).object
    fc.assert(
      fc.property(value, (args) => sameAsRead(JSON.stringify(args))),
      { numRuns: runs(500) },
    )
  })

  test.each([
    ["half of a surrogate pair", String.raw`{"a":"\ud83d"}`],
    ["a name that stands twice", '{"a":1,"a":2}'],
    ["lists in lists, just deep enough", nested(199)],
    ["lists in lists, too deep", nested(200)],
    ["lists in lists, far too deep", nested(5_000)],
    ["a list", "[1]"],
    ["a number of another form", '{"a":1.0}'],
  ])("or seem to be: %s", (_, text) => sameAsRead(text))
})
