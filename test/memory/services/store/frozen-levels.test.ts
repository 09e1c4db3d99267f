import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { freezeParsed, frozenJson, frozenState } from "../../../../src/memory/services/store/frozen-json.ts"
import { runs, seedOf } from "../../../support/size.ts"

/** The levels of objects and lists in a value, counted anew. */
function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf))
}

/** Ways in which a value can come to be in a new one: as it was made, or frozen before. */
const earlier = {
  "as it was made": (value: unknown) => value,
  "a copy": (value: unknown) => frozenJson(value, "value"),
  "a state": (value: unknown) => frozenState(value),
  "read from a store": (value: unknown) => freezeParsed(JSON.parse(JSON.stringify(value))),
}

/** Wraps a value until it stands `levels` deep, in objects and lists by turns. */
const wrapped = (value: unknown, levels: number): unknown =>
  Array.from({ length: levels }, (_, at) => at).reduce<unknown>(
    (inner, at) => (at % 2 === 0 ? { at, inner } : [at, inner]),
    value,
  )

const isTaken = (value: unknown, copy: (value: unknown) => unknown): boolean => {
  try {
    expect(copy(value)).toEqual(value)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: "usage", message: expect.stringContaining("at most 500 levels deep, found more.") })
    return false
  }
}

describe("the levels of a value", () => {
  const shapes = fc.letrec((tie) => ({
    leaf: fc.constantFrom(1, "a", null, [], {}),
    value: fc.oneof(
      { maxDepth: 6 },
      tie("leaf"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
    ),
  })).value
  const ways = fc.constantFrom(...Object.keys(earlier)) as fc.Arbitrary<keyof typeof earlier>

  test.each(Object.entries({ frozenJson: (value: unknown) => frozenJson(value, "value"), frozenState }))(
    "%s takes 501 of them and no more, however its parts came there and whatever stands beside them",
    (_, copy) => {
      const scene = fc.record({ first: shapes, second: shapes, ways: fc.tuple(ways, ways), between: fc.nat({ max: 4 }) })
      fc.assert(
        fc.property(scene, fc.integer({ min: -1, max: 1 }), ({ first, second, ways: [one, two], between }, over) => {
          const inner = earlier[one](first)
          const middle = earlier[two](wrapped({ second, inner, last: second }, between))
          const levels = levelsOf(middle)
          const whole = wrapped(middle, 501 - levels + over)
          expect(isTaken(whole, copy)).toBe(over <= 0)
        }),
        { numRuns: runs(120), seed: seedOf(5) },
      )
    },
  )
})
