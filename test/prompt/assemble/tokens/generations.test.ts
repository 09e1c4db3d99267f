import { describe, expect, test } from "vitest"
import { Generations } from "../../../../src/core/memo.ts"

type Limits = ConstructorParameters<typeof Generations>[0]

/** The keys that a map still has. Asking makes a key young, so each map is asked once. */
function kept(limits: Limits, weights: readonly number[]): number[] {
  return weights.flatMap((_, asked) => {
    const map = new Generations<number, string>(limits)
    for (const [key, weight] of weights.entries()) map.set(key, `${key}`, weight)
    const found = map.get(asked)
    if (found !== undefined) expect(found).toBe(`${asked}`)
    return found === undefined ? [] : [asked]
  })
}

describe("a map of two generations", () => {
  test.each([
    [1, [0]],
    [3, [0, 1, 2]],
    [4, [0, 1, 2, 3]],
    [6, [0, 1, 2, 3, 4, 5]],
    // The third generation begins, and the first is forgotten.
    [7, [3, 4, 5, 6]],
    [10, [6, 7, 8, 9]],
  ])("with room for three entries a generation has of %i the keys %j", (count, expected) => {
    expect(kept({ entries: 3 }, new Array<number>(count).fill(1_000))).toEqual(expected)
  })

  test.each([
    // A generation is full where another entry would pass its limit of 10.
    [
      [4, 6],
      [0, 1],
    ],
    [
      [5, 5, 1, 9],
      [0, 1, 2, 3],
    ],
    [
      [5, 5, 1, 9, 1],
      [2, 3, 4],
    ],
    [
      [5, 5, 1, 8, 1],
      [0, 1, 2, 3, 4],
    ],
    [
      [11, 11, 11],
      [1, 2],
    ],
  ])("with a limit of 10 has of entries that weigh %j those at %j", (weights, expected) => {
    expect(kept({ entries: 99, weight: 10 }, weights)).toEqual(expected)
  })

  test("keeps what is asked for, at its weight", () => {
    const map = new Generations<string, number>({ entries: 99, weight: 10 })
    map.set("kept", 1, 5)
    for (let round = 0; round < 5; round++) {
      map.set(`other ${round}`, 2, 5)
      expect(map.get("kept", 5), `${round}`).toBe(1)
    }
    // It takes half of the young generation, so the other half is full after one more.
    expect(map.get("other 3")).toBe(2)
    expect(map.get("other 1")).toBeUndefined()
  })
})
