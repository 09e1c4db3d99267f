import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../../../src/core/mulberry.ts"
import { DocumentColumns, grown, ScoreArrays } from "../../../../../src/memory/services/recall/documents/document-columns.ts"
import { FieldIndex, PostingLists } from "../../../../../src/memory/services/recall/documents/field-index.ts"
import { partsOf, type Section, SectionReader } from "../../../../../src/memory/services/recall/documents/sections.ts"
import { finished, type Steps, stepUnits } from "../../../../../src/memory/services/recall/documents/steps.ts"
import { isNearTerm } from "../../../../../src/memory/services/recall/text/near-term.ts"

/** A reader of sections as they were written. */
const readerOf = (sections: Iterable<Section>) => new SectionReader([...partsOf(sections)])

/** The numbers of values that the steps say they handled. */
function unitsOf<T>(steps: Steps<T>): { readonly units: readonly number[]; readonly value: T } {
  const units: number[] = []
  for (;;) {
    const { done, value } = steps.next()
    if (done) return { units, value }
    units.push(value)
  }
}

type Posting = readonly [slot: number, frequency: number]

function readLists(lists: PostingLists, count: number): Posting[][] {
  return Array.from({ length: count }, (_, list) => {
    const found: Posting[] = []
    lists.forEach(list, (slot, frequency) => found.push([slot, frequency]))
    return found
  })
}

describe("lists of postings", () => {
  test.each([1, 2, 3, 4, 5, 6])("give back what was added, also when read from a copy and added to again (seed %d)", (seed) => {
    const random = mulberry32(seed)
    const below = (end: number) => Math.floor(random() * end)
    const model: Posting[][] = []
    let lists = new PostingLists()
    const slots = new Map<number, number>()
    for (let step = 0; step < 4_000; step++) {
      if (model.length === 0 || random() < 0.02) model[lists.begin()] = []
      const list = below(2) === 0 ? below(model.length) : 0
      const before = slots.get(list)
      // Distances of one byte, of two and of more, and the ends of each.
      const gap = [1, 1, 1, 63, 64, 65, 8_191, 8_192, 1 + below(2_000_000)][below(9)] ?? 1
      const slot = before === undefined ? below(2) * gap : before + gap
      if (slot > 2 ** 30) continue
      const frequency = [1, 1, 1, 2, 127, 128, 255][below(7)] ?? 1
      lists.add(list, slot, frequency)
      model[list]?.push([slot, frequency])
      slots.set(list, slot)
      if (step % 1_000 === 999) lists = PostingLists.restored(readerOf(lists.sections()))
    }
    expect(readLists(lists, model.length)).toEqual(model)
  })

  test("tell the bytes of their arrays: five numbers a list, and the blocks", () => {
    for (const count of [16, 1_000, 10_000]) {
      const lists = new PostingLists()
      for (let list = 0; list < count; list++) lists.begin()
      const least = count * (5 * 4 + 8)
      expect(lists.bytes).toBeGreaterThanOrEqual(least)
      expect(lists.bytes).toBeLessThanOrEqual(least * 1.3 + 1_400)
      // A posting near the last takes a byte, and a block's link four.
      const before = lists.bytes
      for (let slot = 1; slot <= 100_000; slot++) lists.add(0, slot, 1)
      expect(lists.bytes - before).toBeGreaterThan(70_000)
      expect(lists.bytes - before).toBeLessThan(1.3 * (count * 8 + 105_000))
    }
  })
})

interface Entry {
  readonly slot: number
  readonly counts: ReadonlyMap<string, number>
}

/** What a plain list of entries says of each term. */
function expectLike(index: FieldIndex, entries: readonly Entry[], terms: readonly string[]) {
  for (const term of terms) {
    const having = entries.filter(({ counts }) => counts.has(term))
    expect(index.foundIn(term), term).toBe(having.length)
    const visited: Posting[] = []
    index.forEach(term, (slot, frequency) => visited.push([slot, frequency]))
    const live = visited.filter(([slot]) => entries.some((entry) => entry.slot === slot))
    expect(live).toEqual(having.map(({ slot, counts }) => [slot, Math.min(255, counts.get(term) ?? 0)]))
  }
  const lengthOf = ({ counts }: Entry) => [...counts.values()].reduce((sum, count) => sum + count, 0)
  const total = entries.reduce((sum, entry) => sum + lengthOf(entry), 0)
  expect(index.totalLength).toBe(total)
  const mean = Math.max(1, total / Math.max(1, entries.length))
  const lengths = entries.map(lengthOf).filter((length) => length > 0)
  const middle = total / Math.max(1, lengths.length)
  const deviation = Math.sqrt(lengths.reduce((sum, length) => sum + (length - middle) ** 2, 0) / Math.max(1, lengths.length))
  const spread = total === 0 ? 0 : deviation / middle
  const share = Math.min(0.9, Math.max(0.4, 0.8 * spread))
  expect(index.hasMixedLengths).toBe(spread > 0.9)
  const penalty = index.lengthPenalty(entries.length)
  for (const entry of entries) {
    expect(index.lengths[entry.slot]).toBe(lengthOf(entry))
    expect(penalty(entry.slot)).toBeCloseTo(1.2 * (1 - share + share * Math.max(spread > 0.9 ? 0 : 1, lengthOf(entry) / mean)), 9)
  }
}

describe("the index of a field", () => {
  const terms = ["tea", "teas", "café", "绿茶", "slacks", "blasks", "backs", "x"]

  test.each([1, 2, 3, 4])(
    "knows of each term what a list of documents says, after removing, copying and adding anew (seed %d)",
    (seed) => {
      const random = mulberry32(seed)
      const below = (end: number) => Math.floor(random() * end)
      let index = new FieldIndex()
      let entries: Entry[] = []
      let slot = 0
      for (let step = 0; step < 120; step++) {
        const roll = below(12)
        if (roll < 8) {
          const counts = new Map(terms.filter(() => below(3) === 0).map((term) => [term, 1 + below(400)]))
          finished(index.adding(slot, counts))
          entries.push({ slot, counts })
          slot += 1 + below(2)
        } else if (roll < 10 && entries.length > 0) {
          const [gone] = entries.splice(below(entries.length), 1)
          if (gone) finished(index.removing(gone.slot, gone.counts))
        } else if (roll === 10) index = finished(FieldIndex.restored(readerOf(index.sections(slot))))
        else {
          index = new FieldIndex()
          entries = entries.map(({ counts }, at) => ({ slot: at, counts }))
          for (const { slot, counts } of entries) finished(index.adding(slot, counts))
          slot = entries.length
        }
        expectLike(index, entries, terms)
      }
      const living = terms.filter((term) => index.foundIn(term) > 0)
      const near = living.filter((term) => isNearTerm("blacks", term)).sort()
      expect(near.length).toBeGreaterThan(1)
      for (const limit of [0, 1, 9]) expect(index.near("blacks", limit)).toEqual(near.slice(0, limit))
    },
  )

  test("is added to and removed from in steps of about a thousand terms, and tells its size", () => {
    const counts = new Map(Array.from({ length: 2_500 }, (_, at) => [`term ${at}`, 1]))
    const index = new FieldIndex()
    expect(unitsOf(index.adding(0, counts)).units).toEqual([stepUnits, stepUnits, 2_500 - 2 * stepUnits])
    expect(unitsOf(index.adding(1, new Map())).units).toEqual([0])
    // Each term takes its place in the dictionary and in its list.
    expect(index.bytes).toBeGreaterThan(2_500 * (72 + 4 + 28))
    expect(index.bytes).toBeLessThan(2_500 * (72 + 4 + 28) * 1.3 + 2_000)
    expect(unitsOf(FieldIndex.restored(readerOf(index.sections(2)))).units).toEqual([2_500])
    expect(unitsOf(index.removing(0, counts)).units).toEqual([stepUnits, stepUnits, 2_500 - 2 * stepUnits])
    expect([index.totalLength, index.foundIn("term 7")]).toEqual([0, 0])
  })
})

describe("arrays by slot", () => {
  test("grow by a quarter or to the slot, keep what they have, and are filled up", () => {
    for (const length of [0, 1, 16, 17, 100]) {
      const numbers = Int32Array.from({ length }, (_, at) => at + 1)
      if (length > 0) expect(grown(numbers, length - 1)).toBe(numbers)
      for (const index of [length, length + 1, length * 3]) {
        const larger = grown(numbers, index, -1)
        const size = Math.max(16, Math.ceil(length * 1.25), index + 1)
        expect([...larger]).toEqual(Array.from({ length: size }, (_, at) => (at < length ? at + 1 : -1)))
        expect([...grown(numbers, index)].slice(length).every((value) => value === 0)).toBe(true)
      }
    }
  })

  test("columns tell the bytes of all their arrays, however many documents there are", () => {
    const columns = new DocumentColumns()
    const document = { id: "a", session: "s", speaker: { id: "ann", name: "Ann" }, text: "tea", atMs: 1, turn: 0, importance: 5 }
    for (const slot of [0, 15, 16, 1_000]) {
      columns.set(slot, document, { time: false, number: false, told: undefined, question: false }, 0)
      const arrays = Object.values(columns).filter((value) => ArrayBuffer.isView(value))
      expect(arrays).toHaveLength(10)
      expect(columns.bytes).toBe(arrays.reduce((sum, array) => sum + array.byteLength, 0))
      expect(arrays.every((array) => "length" in array && (array.length as number) > slot)).toBe(true)
    }
  })

  test("arrays of scores are zeros for each query, are used again, and go when the slots need more room", () => {
    const arrays = new ScoreArrays()
    for (const touched of [[1], [15, 0, 3, 1]]) {
      arrays.restart(16)
      const [one, two] = [arrays.take(), arrays.take()]
      for (const slot of touched) arrays.add(one, slot, 2)
      arrays.add(one, 1, 3)
      expect([...arrays.touched]).toEqual(touched.toSorted((a, b) => a - b))
      expect([one[1], arrays.isTouched[1], arrays.isTouched[2], arrays.bytes]).toEqual([5, 1, 0, 16 * (2 * 8 + 14)])
      arrays.restart(9)
      expect([arrays.take() === one, arrays.take() === two, arrays.touched.length]).toEqual([true, true, 0])
      expect([...one, ...arrays.isTouched].every((value) => value === 0)).toBe(true)
    }
    arrays.restart(17)
    expect(arrays.bytes).toBe(20 * 14)
    expect([arrays.take().length, arrays.bytes]).toEqual([20, 20 * (8 + 14)])
  })
})
