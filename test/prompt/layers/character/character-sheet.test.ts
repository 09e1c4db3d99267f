import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { characterMemory, relationshipWith, withRelationship } from "../../../../src/node/character/character-hook.ts"
import {
  type CharacterTrait,
  changeTraits,
  sheetEntries,
  traitLimits,
} from "../../../../src/prompt/layers/character/character-sheet.ts"

const sheet = {
  traits: [
    ["mood", "calm"],
    ["place", "home"],
  ] as const,
}
const change = (patch: Record<string, string>, before: readonly CharacterTrait[] = []) =>
  changeTraits(sheet, before, Object.entries(patch))

describe("changes of traits", () => {
  test("take the author's spelling of a name, and add names of their own", () => {
    expect(change({ " ＭＯＯＤ ": "happy", hunger: "low" })).toEqual({
      changes: [
        ["mood", "happy"],
        ["hunger", "low"],
      ],
      changed: [
        ["mood", "happy"],
        ["hunger", "low"],
      ],
      undone: [],
    })
  })

  test("lie over those before; an empty value takes one back", () => {
    const before: CharacterTrait[] = [
      ["mood", "happy"],
      ["hunger", "low"],
    ]
    expect(change({ Hunger: "high", mood: " " }, before)).toEqual({
      changes: [["hunger", "high"]],
      changed: [["hunger", "high"]],
      undone: ["mood"],
    })
    expect(sheetEntries(sheet, [["hunger", "high"]])).toEqual([
      { name: { text: "mood", trust: "author" }, value: { text: "calm", trust: "author" } },
      { name: { text: "place", trust: "author" }, value: { text: "home", trust: "author" } },
      { name: { text: "hunger", trust: "agent" }, value: { text: "high", trust: "agent" } },
    ])
  })

  test("become one visible line each", () => {
    expect(change({ mood: "a\r\n## persona\u2028b\u202e\u{e0041}\u0000" })).toMatchObject({
      changes: [["mood", "a ## persona b"]],
    })
  })

  test.each([
    [{}, { fault: "no_changes" }],
    [{ nothing: "" }, { fault: "no_changes" }],
    [Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`n${at}`, "x"])), { fault: "too_many_changes", limit: 8 }],
    [{ " ": "x" }, { fault: "bad_name", about: "", limit: 40 }],
    [{ ["n".repeat(41)]: "x" }, { fault: "bad_name", about: "n".repeat(40), limit: 40 }],
    [
      { mood: "happy", place: "😀".repeat(201) },
      { fault: "long_value", about: "place", limit: 200 },
    ],
  ])("that say nothing or too much change nothing: %#", (patch, fault) => {
    expect(change(patch)).toEqual(fault)
  })

  test("have room for a value of exactly the limit, in characters as people count them", () => {
    expect(change({ mood: "😀".repeat(200) })).toMatchObject({ changes: [["mood", "😀".repeat(200)]] })
  })

  test("have room for 24 names, the author's included; those there are can still be changed", () => {
    const full = Array.from({ length: 22 }, (_, at): CharacterTrait => [`n${at}`, "x"])
    expect(change({ one: "more" }, full)).toEqual({ fault: "too_many_names", limit: 24 })
    expect(change({ n0: "y", mood: "happy" }, full)).toMatchObject({
      changed: [
        ["n0", "y"],
        ["mood", "happy"],
      ],
    })
    expect(change({ n0: "", one: "more" }, full)).toMatchObject({ changed: [["one", "more"]], undone: ["n0"] })
  })

  test("whatever is written, call after call, the sheet stays within its bounds and can be kept and read back", () => {
    const anyPatch = fc.array(
      fc.tuple(
        fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("mood", "__proto__", "constructor")),
        fc.string({ unit: "binary", maxLength: 300 }),
      ),
      { maxLength: 10 },
    )
    fc.assert(
      fc.property(fc.array(anyPatch, { maxLength: 12 }), (patches) => {
        let changes: readonly CharacterTrait[] = []
        for (const patch of patches) {
          const result = changeTraits(sheet, changes, patch)
          if ("changes" in result) changes = result.changes
        }
        expect(sheetEntries(sheet, changes).length).toBeLessThanOrEqual(traitLimits.traits)
        for (const [name, value] of changes) {
          expect([...name].length).toBeLessThanOrEqual(traitLimits.nameLength)
          expect([...value].length).toBeLessThanOrEqual(traitLimits.valueLength)
          expect(`${name}${value}`).not.toMatch(/[\n\v\f\r\u0085\u2028\u2029\u202e]/)
        }
        const memory = withRelationship({ state: changes, relationships: [], worldBook: {} }, "u1", changes)
        const kept: unknown = JSON.parse(JSON.stringify(memory))
        expect(characterMemory(kept)).toEqual(memory)
      }),
    )
  })
})

describe("what a session keeps of a character", () => {
  test.each([
    undefined,
    null,
    7,
    "x",
    [],
    { state: "x", relationships: {} },
    { state: [["a"], [1, 2], null], relationships: [{}, 3] },
  ])("in another form is as at the beginning: %j", (kept) => {
    expect(characterMemory(kept)).toEqual({ state: [], relationships: [], worldBook: {} })
  })

  test("is each speaker's own, by id", () => {
    const traits: CharacterTrait[] = [["trust", "high"]]
    const memory = withRelationship(characterMemory(undefined), "__proto__", traits)
    expect(relationshipWith(memory, "__proto__")).toEqual(traits)
    expect(relationshipWith(memory, "constructor")).toEqual([])
  })

  test("has room for 200 speakers; who changed longest ago goes first", () => {
    let memory = characterMemory(undefined)
    for (let at = 0; at < 200; at++) memory = withRelationship(memory, `u${at}`, [["trust", "high"]])
    memory = withRelationship(memory, "u0", [["trust", "low"]])
    memory = withRelationship(memory, "u200", [["trust", "high"]])
    expect(memory.relationships).toHaveLength(200)
    expect(relationshipWith(memory, "u0")).toEqual([["trust", "low"]])
    expect(relationshipWith(memory, "u1")).toEqual([])
  })
})
