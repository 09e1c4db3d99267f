import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { CopiedTexts, PackedMemories } from "../../../../src/memory/services/memory/packed-memories.ts"
import { partsOf, type Section, SectionReader } from "../../../../src/memory/services/recall/documents/sections.ts"
import { finished } from "../../../../src/memory/services/recall/documents/steps.ts"
import type { StoredMemory } from "../../../../src/memory/services/store/records.ts"

const readerOf = (sections: Iterable<Section>) => new SectionReader([...partsOf(sections)])

/** A memory with some members that not every memory has. */
function memoryOf(random: () => number, id: string): StoredMemory {
  const below = (end: number) => Math.floor(random() * end)
  const text = ["tea", "绿茶 😀", "", "café", "x".repeat(below(300))][below(5)] ?? ""
  return {
    id,
    agent: "fay",
    conversation: `talk ${below(3)}`,
    audience: below(4) === 0 ? "group" : "private",
    user: below(2) === 0 ? "ann" : "bob",
    kind: below(3) === 0 ? "insight" : "dialogue",
    speaker: { id: "ann", name: "Ann" },
    text,
    atMs: below(99),
    turnId: `t${below(9)}`,
    turn: below(9),
    ...(below(2) === 0 && { importance: below(11) }),
    ...(below(3) === 0 && { usedAtMs: below(99), stability: 1 + random() }),
    ...(below(3) === 0 && { keys: { by: "m", words: ["a"], subject: "Ann", relation: "home" } }),
  }
}

describe("packed memories", () => {
  test.each([1, 2, 3, 4, 5])("are the memories that were set, also when some come from a copy (seed %d)", (seed) => {
    const random = mulberry32(seed)
    const below = (end: number) => Math.floor(random() * end)
    const model = new Map<string, StoredMemory>()
    let packed = new PackedMemories()
    for (let step = 0; step < 400; step++) {
      const id = `m${below(80)}`
      const roll = below(20)
      if (roll < 13) {
        const memory = memoryOf(random, id)
        model.set(id, memory)
        packed.set(memory)
      } else if (roll < 19) {
        model.delete(id)
        packed.delete(id)
      } else {
        const ids = [...model.keys()]
        packed = finished(PackedMemories.restored(readerOf(packed.sections(ids)), ids))
      }
      expect(packed.size).toBe(model.size)
      expect(packed.get(id)).toEqual(model.get(id))
    }
    for (const [id, memory] of model) expect(packed.get(id)).toEqual(memory)
    expect(packed.get("none")).toBeUndefined()
  })

  test("tell about the bytes of their texts, twice as many for wide letters, and of their places", () => {
    const random = mulberry32(1)
    const base = memoryOf(random, "a")
    const bytesWith = (text: string, count: number): number => {
      const packed = new PackedMemories()
      for (let at = 0; at < count; at++) packed.set({ ...base, id: `m${at}`, text })
      return packed.bytes
    }
    const empty = bytesWith("", 1)
    expect(bytesWith("x".repeat(1_000), 1) - empty).toBe(1_000)
    // All letters of a text take two bytes if one of them does.
    const rest = empty - 72 - 4 * 72
    expect(bytesWith(`${"x".repeat(999)}茶`, 1) - empty).toBe(1_000 * 2 + rest)
    expect(bytesWith("", 101) - empty).toBe(100 * (rest + 72))
    const packed = new PackedMemories()
    packed.set(base)
    packed.set({ ...base, text: "other" })
    packed.delete("a")
    packed.delete("none")
    expect([packed.size, packed.bytes]).toEqual([0, 4 * 72])
  })

  test("of a copy tell the bytes of its texts", () => {
    const packed = new PackedMemories()
    const base = memoryOf(mulberry32(1), "a")
    const ids = Array.from({ length: 65 }, (_, at) => `m${at}`)
    for (const id of ids) packed.set({ ...base, id, text: "茶" })
    const restored = finished(PackedMemories.restored(readerOf(packed.sections(ids)), ids))
    const text = new TextEncoder().encode(JSON.stringify([0, "茶", base.atMs, base.turnId, base.turn, {}])).length
    const own = restored.bytes - 65 * 72 - 4 * 72
    expect(own).toBeGreaterThanOrEqual(65 * text)
    expect(own).toBeLessThan(65 * (text + 120))
  })
})

describe("a copy of texts", () => {
  const texts = (count: number) =>
    new Map(Array.from({ length: count }, (_, at) => [`m${at}`, at % 3 === 0 ? "" : `text 茶 ${at}`]))

  test.each([0, 1, 31, 32, 33, 64, 65])("of %d is read as it was written, in batches", (count) => {
    const written = texts(count)
    const ids = [...written.keys()]
    const sections = [...CopiedTexts.sections(ids, (id) => written.get(id) ?? "")]
    const steps = CopiedTexts.restored(readerOf(sections), count)
    const units: number[] = []
    let next = steps.next()
    for (; !next.done; next = steps.next()) units.push(next.value)
    expect(units).toEqual(Array(Math.ceil(count / 32)).fill(32))
    const copied = next.value
    expect(ids.map((_, at) => copied.at(at))).toEqual([...written.values()])
    expect(copied.at(Math.ceil(count / 32) * 32)).toBe("")
    expect(copied.bytes).toBe([...written.values()].reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0))
  })

  test("that holds more, fewer or longer texts than it says is refused", () => {
    const [ends, bytes] = [Uint32Array.of(2, 5), new Uint8Array(5)]
    expect(finished(CopiedTexts.restored(readerOf([ends, bytes]), 2)).bytes).toBe(5)
    const wrong: readonly (readonly [Section, Section, number])[] = [
      [ends, bytes, 1],
      [ends, bytes, 3],
      [ends, bytes, 33],
      [ends, new Uint8Array(4), 2],
      [ends, new Uint8Array(6), 2],
      [Uint32Array.of(5), bytes, 2],
      [Uint32Array.of(2, 3, 5), bytes, 2],
      [new Uint32Array(), bytes, 1],
    ]
    for (const [ends, bytes, count] of wrong)
      expect(() => finished(CopiedTexts.restored(readerOf([ends, bytes]), count)), `${ends.length} of ${count}`).toThrow(
        new RangeError("expected the texts of all memories"),
      )
  })
})
