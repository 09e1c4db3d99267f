import { expect, test } from "vitest"
import { defaultPulled, markedPath, pull, stalePulled } from "../../../src/memory/forgetting/pulled.ts"

const settings = { ...defaultPulled, keepTurns: 2, maxItems: 2, summaryCharacters: 8 }
const item = (id: string, turn: number) => ({ id, kind: "file" as const, text: id, pulled: { atMs: turn, turn } })

test.each([
  ["%[a b.md]", "a b.md"],
  ["  %[a.md]  ", "a.md"],
  [" a.md ", "a.md"],
  ["%[a.md", "%[a.md"],
  ["a.md]", "a.md]"],
  ["%[]", ""],
])("R8: %j marks %j", (text, path) => {
  expect(markedPath(text)).toBe(path)
})

test("R22: what is pulled again comes last, on one line, cut; the oldest of too many go", () => {
  const now = { atMs: 9, turn: 9 }
  const pulled = (id: string, text: string) => ({ id, kind: "reference" as const, text })
  expect(pull([item("a", 1), item("b", 2)], pulled("a", " 12\n\n 4567 "), { now, settings })).toEqual([
    item("b", 2),
    { id: "a", kind: "reference", text: "12 4567", pulled: now },
  ])
  expect(pull([item("a", 1), item("b", 2)], pulled("c", "123456789"), { now, settings })).toEqual([
    item("b", 2),
    { id: "c", kind: "reference", text: "1234567…", pulled: now },
  ])
})

test("R22: an item is stale when more turns have passed than it stays, and so are the oldest of too many", () => {
  const stale = (...turns: readonly number[]) =>
    stalePulled(
      turns.map((turn) => item(`${turn}`, turn)),
      { atMs: 0, turn: 10 },
      settings,
    )
  expect([stale(), stale(8), stale(7), stale(10, 8), stale(8, 7), stale(10, 9, 8), stale(9, 8, 10, 7)]).toEqual([
    [],
    [],
    ["7"],
    [],
    ["7"],
    ["10"],
    ["9", "8", "7"],
  ])
})
