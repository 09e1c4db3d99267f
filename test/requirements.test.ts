import { describe, expect, test } from "vitest"
import { readSources } from "./support/source-files.ts"
import { requirementsIn, testNamesIn } from "./support/test-names.ts"

const upTo = (letter: string, last: number) => Array.from({ length: last }, (_, i) => `${letter}${i + 1}`)

/** The requirements that are built so far; the list grows with the library. */
const built = [...upTo("T", 36), ...upTo("S", 12), ...upTo("R", 29), ...upTo("L", 14), ...upTo("D", 12)]

describe("numbered requirements", () => {
  test("each one that is built is named by a test that proves it", () => {
    const names = [...readSources("test", ".test.ts")]
      .filter(([file]) => file !== "test/requirements.test.ts")
      .flatMap(([, text]) => testNamesIn(text))
    const named = requirementsIn(names)
    expect(built.filter((id) => !named.has(id))).toEqual([])
  })

  test("a number counts in the name of a test, a suite or a row of cases, and nowhere else", () => {
    const text = [
      'test("T1 one", () => {',
      "test.each(cases)(`T2 two: $name`, () => {",
      'test.skipIf(!present)(\n  "T3 and T4", () => {',
      'describe("five (T5)", () => {',
      '{ name: "T6", text: "T90" },',
      'const other = "T91" // T92',
      'expect(read("T93")).toBe("T94")',
      'test("XT95, T96b, s-T97", () => {',
    ].join("\n")
    expect([...requirementsIn(testNamesIn(text))].sort()).toEqual(["T1", "T2", "T3", "T4", "T5", "T6"])
  })
})
