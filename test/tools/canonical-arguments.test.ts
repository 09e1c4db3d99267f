import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonicalArguments } from "../../src/tools/canonical-arguments.ts"

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
