import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  listSections,
  partBytes,
  partsOf,
  type Section,
  SectionReader,
} from "../../../../../src/memory/services/recall/documents/sections.ts"

const section: fc.Arbitrary<Section> = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.uint8Array(),
  fc.uint32Array(),
  fc.int32Array(),
  fc.float64Array(),
)

function readLike(reader: SectionReader, section: Section): Section {
  if (typeof section === "string") return reader.text()
  if (section instanceof Uint8Array) return reader.numbers(Uint8Array)
  if (section instanceof Uint32Array) return reader.numbers(Uint32Array)
  return section instanceof Int32Array ? reader.numbers(Int32Array) : reader.numbers(Float64Array)
}

const bytesOf = (sections: Iterable<Section>): Uint8Array => new Uint8Array(Buffer.concat([...partsOf(sections)]))

describe("sections", () => {
  test("are read as they were written, however their bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(section), fc.array(fc.nat(500)), (sections, cuts) => {
        const bytes = bytesOf(sections)
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
        const reader = new SectionReader(places.slice(1).map((end, at) => bytes.subarray(places[at], end)))
        expect(sections.map((section) => readLike(reader, section))).toEqual(sections)
      }),
    )
  })

  test("become parts of one size, but for the last", () => {
    const sections = [new Uint8Array(2.5 * partBytes).fill(7), "x"]
    const parts = [...partsOf(sections)]
    expect(parts.map(({ length }) => length)).toEqual([partBytes, partBytes, partBytes / 2 + 17])
    const reader = new SectionReader(parts)
    expect(Buffer.compare(reader.numbers(Uint8Array), sections[0] as Uint8Array)).toBe(0)
    expect(reader.text()).toBe("x")
  })

  test("of a long list are read in steps", () => {
    const values = Array.from({ length: 10_000 }, (_, at) => (at % 3 === 0 ? null : `${at}`))
    const steps = [...new SectionReader([bytesOf(listSections(values))]).list<string | null>()]
    expect(steps.length).toBeGreaterThan(2)
    expect(steps.flat()).toEqual(values)
    expect([...new SectionReader([bytesOf(listSections([]))]).list()]).toEqual([])
  })

  test("that are something else are refused before anything is reserved for them", () => {
    const of = (...sections: Section[]) => new SectionReader([bytesOf(sections)])
    expect(() => of("text").numbers(Uint8Array)).toThrow(RangeError)
    expect(() => of(Uint8Array.of(1)).text()).toThrow(RangeError)
    expect(() => of().text()).toThrow("expected 8 bytes, found 0")
    const cut = bytesOf([new Uint8Array(100)]).subarray(0, 50)
    expect(() => new SectionReader([cut]).numbers(Uint8Array)).toThrow("expected 100 bytes, found 42")
    expect(() => [...of(Uint32Array.of(5), "[]").list()]).toThrow("expected a list of values")
  })
})
