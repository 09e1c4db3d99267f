import { describe, expect, test } from "vitest"
import { afterTurn, loreMemory, loreOnBranch } from "../../../../src/prompt/layers/lorebook/lore-memory.ts"
import type { LoreEntry } from "../../../../src/prompt/layers/lorebook/lorebook.ts"
import { heldBySticky, isTimed, type LoreState, nextState, timeOf } from "../../../../src/prompt/layers/lorebook/timed.ts"

describe("what lorebooks keep with a session", () => {
  const log = { before: [], aside: [] }

  test.each<[string, unknown, unknown]>([
    ["nothing", undefined, undefined],
    ["another form", "x", undefined],
    ["no number of turns", { books: {} }, undefined],
    ["turns that are no whole number", { turns: 0.5 }, undefined],
    ["fewer than no turns", { turns: -1 }, undefined],
    ["a number as text", { turns: "1" }, undefined],
    ["no turns yet", { turns: 0 }, { turns: 0, books: {}, greeting: undefined, log }],
    ["a greeting that is none", { turns: 1, greeting: "0" }, { turns: 1, books: {}, greeting: undefined, log }],
    [
      "books of which parts are malformed",
      { turns: 2, greeting: 0, books: { a: { x: { first: 1, last: 2 }, y: { first: 1 }, z: { last: 2 }, w: null }, b: [] } },
      { turns: 2, books: { a: { x: { first: 1, last: 2 } }, b: {} }, greeting: 0, log },
    ],
  ])("%s is read as it should be", (_, kept, expected) => {
    expect(loreMemory(kept)).toEqual(expected)
  })

  test("counts its turns, and goes back with the history", () => {
    const states: unknown[] = [{ turns: 0, books: {} }]
    for (const turn of ["t1", "t2", "t3"]) {
      const memory = loreMemory(states.at(-1))
      if (!memory) throw new Error("expected a memory")
      states.push(
        JSON.parse(JSON.stringify(afterTurn(turn, memory, { books: { book: { [turn]: { first: 1, last: 1 } } }, greeting: 4 }))),
      )
    }
    const seen = (state: unknown) => {
      const { turns, books, greeting } = loreMemory(state) ?? {}
      return [turns, Object.keys(books?.book ?? {}), greeting]
    }
    expect(states.map(seen)).toEqual([
      [0, [], undefined],
      [1, ["t1"], 4],
      [2, ["t2"], 4],
      [3, ["t3"], 4],
    ])
    const last = loreMemory(states.at(-1))
    if (!last) throw new Error("expected a memory")
    const earlier = loreOnBranch(last, { gone: new Set(["t2", "t3"]), back: [] })
    expect(seen(earlier)).toEqual([1, ["t1"], 4])
    const again = loreMemory(earlier)
    expect(again && seen(loreOnBranch(again, { gone: new Set(), back: ["t2"] }))).toEqual([2, ["t2"], 4])
  })
})

describe("C17 the time of an entry, counted in messages", () => {
  const entry = (given: Partial<LoreEntry>): LoreEntry =>
    ({ id: "e", keys: [], text: { text: "x", trust: "tool" }, order: 1, ...given }) as LoreEntry
  const at = (count: number, state: LoreState) => timeOf({ messages: new Array(count).fill(0), state })

  test("an entry that came in at message 10 stays for its sticky time, then cools", () => {
    const timed = entry({ sticky: 3, cooldown: 4 })
    const row = (count: number) => {
      const time = at(count, { e: { first: 10, last: 10 } })
      return `${count} ${time.wasIn(timed) ? "was in" : "new"}${heldBySticky(timed, time) ? ", sticky" : ""}${time.isCooling(timed) ? ", cooling" : ""}`
    }
    expect([9, 10, 11, 12, 13, 14, 16, 17, 18].map(row)).toEqual([
      // A state of the same message or a later one is that of a turn that was taken back.
      "9 new",
      "10 new",
      "11 was in, sticky, cooling",
      "12 was in, sticky, cooling",
      "13 was in, cooling",
      "14 was in, cooling",
      "16 was in, cooling",
      "17 was in",
      "18 was in",
    ])
  })

  test.each<[Partial<LoreEntry>, boolean]>([
    [{}, false],
    [{ sticky: 0, cooldown: 0 }, false],
    [{ sticky: 1 }, true],
    [{ cooldown: 1 }, true],
    [{ conditions: { onceIn: "stay" } }, true],
    [{ conditions: { force: "always" } }, false],
  ])("an entry with %j depends on earlier turns: %s", (given, expected) => {
    expect(isTimed(entry(given))).toBe(expected)
  })

  test("what later turns need of an entry is kept, and no longer", () => {
    const timed = entry({ sticky: 2, cooldown: 3 })
    const once = entry({ conditions: { onceIn: "leave" } })
    const next = (one: LoreEntry, count: number, state: LoreState, isIn: boolean) =>
      nextState([one], isIn ? [one] : [], at(count, state)).e
    const known: LoreState = { e: { first: 4, last: 10 } }
    expect(next(timed, 5, {}, true)).toEqual({ first: 5, last: 5 })
    expect(next(timed, 5, {}, false)).toBeUndefined()
    // While it is sticky, being in begins no new time.
    expect([11, 12].map((count) => next(timed, count, known, true))).toEqual([
      { first: 4, last: 10 },
      { first: 4, last: 12 },
    ])
    expect([14, 15, 16].map((count) => next(timed, count, known, false))).toEqual([{ first: 4, last: 10 }, undefined, undefined])
    // The entry of a turn that was taken back begins anew.
    expect(next(timed, 10, known, true)).toEqual({ first: 10, last: 10 })
    expect(next(once, 99, known, false)).toEqual({ first: 4, last: 10 })
  })
})
