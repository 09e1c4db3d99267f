import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatReferenceInfo, parseReferenceInfo } from "../../../../src/memory/forgetting/reference/reference-info.ts"
import {
  criterionNames,
  formatReferenceSource,
  parseReferenceSource,
  type ReferenceSource,
} from "../../../../src/memory/forgetting/reference/reference-source.ts"

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc
    .array(
      fc.constantFrom(
        "'",
        '"',
        "\\",
        " - ",
        " line1 ~ line2",
        ".session message 1 - 2",
        "\n",
        "\u2028",
        "\u0085",
        ")",
        "%[",
        "最近 ",
        "，",
      ),
    )
    .map((parts) => parts.join("")),
)
const lineNumber = fc.nat(1_000_000)
const range = fc.tuple(lineNumber, lineNumber).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const level = fc.constantFrom("weak" as const, "medium" as const, "extreme" as const)
const criterion = fc.oneof(
  fc.constantFrom(...(Object.keys(criterionNames) as (keyof typeof criterionNames)[])),
  fc
    .tuple(
      ...([0, 1, 2].map(() => fc.double({ noNaN: true, noDefaultInfinity: true })) as [
        fc.Arbitrary<number>,
        fc.Arbitrary<number>,
        fc.Arbitrary<number>,
      ]),
    )
    .map(([a, b, c]) => ({ weights: [a + 0, b + 0, c + 0] as const })),
)

const anySource: fc.Arbitrary<ReferenceSource> = fc.oneof(
  fc
    .tuple(fc.record({ kind: fc.constant("lines" as const), query: nasty, path: nasty }), range)
    .map(([source, lines]) => ({ ...source, ...lines })),
  fc.record({ kind: fc.constant("image" as const), path: nasty }),
  fc.record({ kind: fc.constant("load" as const), path: nasty }),
  fc.constant({ kind: "unknown" as const }),
  fc
    .tuple(
      fc.record({
        kind: fc.constant("compressed" as const),
        level,
        topic: nasty,
        criterion,
        count: lineNumber,
        path: nasty,
      }),
      range,
    )
    .map(([source, messages]) => ({ ...source, ...messages })),
)

const documented: readonly [string, ReferenceSource][] = [
  [
    "RAG 'hareru 的经历' - C/info/data/1.txt line23 ~ line56",
    { kind: "lines", query: "hareru 的经历", path: "C/info/data/1.txt", from: 23, to: 56 },
  ],
  ["read_IMG(Search C/info/files/2.png)", { kind: "image", path: "C/info/files/2.png" }],
  ["load C/info/data/2.txt", { kind: "load", path: "C/info/data/2.txt" }],
  ["unknown source", { kind: "unknown" }],
  [
    "compress weak about 'user:hareru 的自白' 最符合 30 - C/info/file/history/20201103.session message 23 - 55",
    {
      kind: "compressed",
      level: "weak",
      topic: "user:hareru 的自白",
      criterion: "best-match",
      count: 30,
      path: "C/info/file/history/20201103",
      from: 23,
      to: 55,
    },
  ],
  [
    "compress extreme about 'a' 自定义权重:'0.3 0.4 0.3' 30 - b.session message 1 - 2",
    {
      kind: "compressed",
      level: "extreme",
      topic: "a",
      criterion: { weights: [0.3, 0.4, 0.3] },
      count: 30,
      path: "b",
      from: 1,
      to: 2,
    },
  ],
]

describe("sources of reference info (R23)", () => {
  test.each(documented)("R23: %s is printed and read in this form", (text, source) => {
    expect(formatReferenceSource(source)).toBe(text)
    expect(parseReferenceSource(text)).toEqual(source)
  })

  test("R23: every source is read as it was, whatever its names hold, and stands on one line", () => {
    fc.assert(
      fc.property(anySource, (source) => {
        const text = formatReferenceSource(source)
        expect(parseReferenceSource(text)).toEqual(source)
        expect(text).not.toMatch(/[\n\r\u0085\u2028\u2029\v\f]/)
      }),
      { numRuns: 400 },
    )
  })

  test("other text is no source, and reading it never throws", () => {
    fc.assert(
      fc.property(
        nasty,
        fc.constantFrom("RAG ", "RAG '", "load ", "compress weak about '", ""),
        (text, start) => void parseReferenceSource(start + text),
      ),
    )
    for (const text of [
      "",
      "RAG x",
      "compress weak",
      "compress strong about 'a' 最近 1 - b.session message 1 - 2",
      "somewhere",
      "RAG 'q' - a.txt line56 ~ line23",
      "compress weak about 'a' 最近 1 - b.session message 2 - 1",
    ]) {
      expect(parseReferenceSource(text)).toBeUndefined()
    }
  })
})

describe("reference info (R23)", () => {
  const anyInfo = fc.record({ source: fc.array(anySource, { maxLength: 4 }), current: nasty, extraData: nasty })

  test("R23: is printed with its sources, what it says now, and the model's own words", () => {
    const info = { source: [{ kind: "load", path: "a.txt" }], current: 'He said "hi"', extraData: "" } as const
    expect(formatReferenceInfo(info)).toBe(
      'reference_info: {source: ["load a.txt"], current: "He said \\"hi\\"", extra_data: ""}',
    )
  })

  test("R23: is read as it was, whatever it holds, and stands on one line", () => {
    fc.assert(
      fc.property(anyInfo, (info) => {
        const text = formatReferenceInfo(info)
        expect(parseReferenceInfo(text)).toEqual(info)
        expect(text).not.toMatch(/[\n\r\u0085\u2028\u2029]/)
      }),
      { numRuns: 300 },
    )
  })

  test("other text is none, and a source that is none of the known is an unknown one", () => {
    expect(parseReferenceInfo("reference_info: {")).toBeUndefined()
    expect(parseReferenceInfo('reference_info: {source: ["x"], current: 1, extra_data: ""}')).toBeUndefined()
    expect(parseReferenceInfo('reference_info: {source: ["x"], current: "", extra_data: ""}')?.source).toEqual([
      { kind: "unknown" },
    ])
    const unended = JSON.stringify("compress weak about 'bread 最符合 4 - diary.session message 2 - 5")
    expect(parseReferenceInfo(`reference_info: {source: [${unended}], current: "", extra_data: ""}`)?.source).toEqual([
      { kind: "unknown" },
    ])
  })
})
