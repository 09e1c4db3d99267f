import { describe, expect, test } from "vitest"
import { saidAgain, usedAgain } from "../../../../src/memory/services/store/memory-again.ts"
import type { StoredMemory } from "../../../../src/memory/services/store/records.ts"
import { stateWithoutWaitingTurn, stateWithoutWords } from "../../../../src/memory/services/store/waiting-turn.ts"

describe("a turn that waits for an approval", () => {
  const stateOf = (...askedMs: readonly number[]) => ({
    turns: 1,
    approval: { speaker: { id: "ann" }, calls: askedMs.map((ms) => ({ askedMs: ms })) },
  })
  test.each<[string, Readonly<Record<string, unknown>>, number | undefined, boolean]>([
    ["asked at the moment", stateOf(5), 5, true],
    ["asked before it", stateOf(4), 5, false],
    ["of which the last call was asked then", stateOf(1, 5, 2), 5, true],
    ["at any time", stateOf(-9), undefined, true],
    ["without calls, from 1970 on", { approval: { speaker: { id: "ann" } } }, 0, true],
    ["without calls, later", { approval: { speaker: { id: "ann" } } }, 1, false],
    ["of somebody else", { approval: { speaker: { id: "bob" }, calls: [] } }, undefined, false],
    ["that is not there", { turns: 1 }, undefined, false],
  ])("goes with what it may hold: %s", (_, state, sinceMs, goes) => {
    const { approval: __, ...rest } = state
    expect(stateWithoutWaitingTurn(state, (speaker) => speaker === "ann", sinceMs)).toEqual(goes ? rest : undefined)
  })

  test("of a group's state switches and counts stay", () => {
    expect(stateWithoutWords({ on: true, off: false, turns: 0, mood: "glad", none: null, deep: { turns: 1 } })).toEqual({
      on: true,
      off: false,
      turns: 0,
    })
  })
})

describe("a memory", () => {
  const dayMs = 86_400_000
  const memory = { atMs: 5 * dayMs, text: "tea" } as StoredMemory

  test("keeps the newest eight moments at which it was said again, each once", () => {
    expect(saidAgain(memory, memory.atMs)).toBe(memory)
    const twice = saidAgain(saidAgain(memory, 9), 7)
    expect(twice.againAtMs).toEqual([7, 9])
    expect(saidAgain(twice, 7)).toBe(twice)
    const often = [1, 2, 3, 4, 5, 6, 8].reduce(saidAgain, twice)
    expect(often.againAtMs).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })

  test.each<[string, Partial<StoredMemory>, number, number]>([
    ["a day after it was said", {}, 6, 1 + 5 * 0.1],
    ["at once", {}, 5, 1],
    ["two days after it was said again", { againAtMs: [7 * dayMs, 99 * dayMs] }, 9, 1 + 5 * (1 - 0.9 ** 2)],
    ["a day after it was used", { usedAtMs: 8 * dayMs, stability: 2 }, 9, 2 * (1 + 5 * (1 - 0.9 ** 0.5))],
    ["when it was said again at that moment", { againAtMs: [9 * dayMs] }, 9, 1],
  ])("grows more stable by its use: %s", (_, had, day, stability) => {
    const used = usedAgain({ ...memory, ...had }, day * dayMs)
    expect(used).toEqual({ ...memory, ...had, usedAtMs: day * dayMs, stability: expect.closeTo(stability, 9) })
  })

  test("is used once at a moment, and never earlier", () => {
    const used = usedAgain(memory, 9 * dayMs)
    for (const day of [9, 8]) expect(usedAgain(used, day * dayMs)).toBe(used)
    expect(usedAgain(memory, Number.NaN)).toBe(memory)
  })
})
