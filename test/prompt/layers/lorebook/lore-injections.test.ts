import { expect, test } from "vitest"
import { isSteady, loreInjections, type PlacedLore } from "../../../../src/prompt/layers/lorebook/lore-injections.ts"
import type { LoreEntry, LorePosition } from "../../../../src/prompt/layers/lorebook/lorebook.ts"

const depth = (depth: number, fromStart = false): LorePosition => ({ at: "depth", depth, fromStart, role: "user" })
const positions: readonly (LorePosition | undefined)[] = [
  undefined,
  ...(
    [
      "beforeCharacter",
      "afterCharacter",
      "personality",
      "scenario",
      "noteTop",
      "noteBottom",
      "beforeExamples",
      "afterExamples",
    ] as const
  ).map((at) => ({ at })),
  ...[0, 1, 2, 9].map((at) => depth(at)),
  ...[0, 1, 2].map((at) => depth(at, true)),
  ...["hall", "x".repeat(40), "x".repeat(41), "two words", ""].map((name) => ({ at: "outlet" as const, name })),
]

function entry(id: string, given: Partial<LoreEntry> = {}): LoreEntry {
  return { id, keys: ["k"], order: 100, text: { text: id, trust: "tool" }, ...given } as LoreEntry
}

const placed = (entries: readonly LoreEntry[]): readonly PlacedLore[] =>
  entries.map((each) => ({ entry: each, text: each.text, name: each.id, scope: "turn" }))

test("the slot of every position, at the end and at the author's place, of lore that comes and goes and that stays", () => {
  const lines = positions.map((position) => {
    const keys = (["end", "card"] as const).flatMap((place) =>
      [{}, { constant: true }, { text: { text: "x", trust: "author" as const } }].map((more) => {
        const given = entry("e", { ...(position && { position }), ...more })
        return loreInjections(placed([given]), place).get(given)?.key
      }),
    )
    return `${JSON.stringify(position) ?? "none"} → ${keys.join(" | ")}`
  })
  expect(lines.join("\n")).toMatchSnapshot()
})

test("lore is steady only while nothing can take it out or move it", () => {
  const always = { constant: true }
  const rows: readonly (readonly [Partial<LoreEntry>, boolean])[] = [
    [{}, false],
    [always, true],
    [{ ...always, conditions: { force: "always" } }, false],
    [{ conditions: { force: "always" } }, true],
    [{ conditions: { force: "never" } }, false],
    [{ ...always, probability: 100 }, true],
    [{ ...always, probability: 99 }, false],
    ...(["delay", "cooldown", "delayUntilRecursion"] as const).flatMap((name): [Partial<LoreEntry>, boolean][] => [
      [{ ...always, [name]: 0 }, true],
      [{ ...always, [name]: 1 }, false],
    ]),
    [{ ...always, groups: [] }, true],
    [{ ...always, groups: ["g"] }, false],
    [{ ...always, position: depth(3) }, false],
    [{ ...always, position: { at: "noteTop" } }, true],
  ]
  for (const [given, steady] of rows) expect(isSteady(entry("e", given)), JSON.stringify(given)).toBe(steady)
})

test("several entries: what is worth least gives way first, and what stands deeper is printed earlier", () => {
  const entries = [
    entry("one", { order: 5 }),
    entry("two", { order: 10, priority: 1 }),
    entry("three", { order: 1, constant: true }),
    entry("top", { position: { at: "noteTop" } }),
    entry("bottom", { position: { at: "noteBottom" } }),
    entry("last", { position: depth(0) }),
    entry("first", { position: depth(1) }),
    entry("deep", { position: depth(5) }),
    entry("start", { position: depth(0, true) }),
  ]
  const print = (place: "end" | "card") =>
    [...loreInjections(placed(entries), place).values()].map(({ key, priority, scope, fit }) =>
      JSON.stringify({ key, priority, scope, fit }),
    )
  expect(["end", ...print("end"), "card", ...print("card")].join("\n")).toMatchSnapshot()
  expect(loreInjections([], "end").size).toBe(0)
})
