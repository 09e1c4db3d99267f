import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { barsOf, courseMs } from "../../../../page/bars.ts"
import { breakLines, layOut, rowOfSpan, segmentsOf, sumLayers } from "../../../../page/layout.ts"
import type { RecordedSpan } from "../../../../src/apps/server/inspector/turn-record.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { root } from "../../../support/source-files.ts"

const span = (text: string, key = ""): RecordedSpan => ({
  ...{ text, key, part: "content", trust: "user", stability: "turn", tokens: text.length },
})

function lines(text: string, columns: number): string[] {
  const found: string[] = []
  breakLines(text, { from: 0, to: text.length, columns }, (start, end) => found.push(text.slice(start, end)))
  return found
}

describe("the lines of a request", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b ", " ", "\n", "展", "😀", "\t", "e\u0301"), maxLength: 200 })

  test("are its text, whatever the width; none is too wide, and none parts a pair", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 40 }), (text, columns) => {
        const found = lines(text, columns)
        expect(found.join("")).toBe(text)
        for (const line of found) {
          expect(line.isWellFormed()).toBe(true)
          expect(line.slice(0, -1)).not.toContain("\n")
          expect(line.length).toBeLessThanOrEqual(2 * columns)
        }
      }),
      { numRuns: runs(2_000), seed: seedOf(20) },
    )
  })

  test("end at spaces where there are any", () => {
    expect(lines("one two three", 8)).toEqual(["one two ", "three"])
    expect(lines("展厅安静", 4)).toEqual(["展厅", "安静"])
    expect(lines("abcdefgh", 4)).toEqual(["abcd", "efgh"])
  })

  test("end anywhere in Chinese, but a mark that closes does not begin one", () => {
    expect(lines("你叫 展厅安静", 8)).toEqual(["你叫 展", "厅安静"])
    expect(lines("展厅 abcd安静", 8)).toEqual(["展厅 ", "abcd安静"])
    expect(lines("展厅安静。", 8)).toEqual(["展厅安", "静。"])
  })

  test("are made of the segments of spans, also of empty ones", () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 6 }), fc.integer({ min: 4, max: 20 }), (parts, columns) => {
        const messages = [{ role: "user" as const, spans: parts.map((text) => span(text)) }]
        const layout = layOut({ messages, prefixes: [] }, columns)
        const [message] = layout.messages
        const seen = parts.map(() => "")
        for (const row of layout.rows) {
          if (row.kind !== "text" || !message) continue
          for (const { span: at, text } of segmentsOf(message, row.start, row.end)) seen[at] += text
        }
        expect(seen).toEqual(parts)
      }),
      { numRuns: runs(2_000), seed: seedOf(20) },
    )
  })

  test("have a line where a prefix ends, and one where a change begins", () => {
    const messages = [{ role: "system" as const, spans: [span("persona", "persona"), span("mood", "mood"), span("rest")] }]
    const mark = { stability: "global", message: 0, spans: 1, tokens: 7 } as const
    const layout = layOut({ messages, prefixes: [mark, { ...mark, stability: "turn", spans: 3 }] }, 80)
    expect(layout.rows.map(({ kind }) => kind)).toEqual(["head", "text", "mark", "text"])
    expect(rowOfSpan(layout, 0, 0)).toBe(1)
    expect(rowOfSpan(layout, 0, 2)).toBe(3)
  })

  test("have one line for prefixes that end together", () => {
    const messages = [{ role: "system" as const, spans: [span("persona", "persona"), span("mood", "mood"), span("rest")] }]
    const mark = { stability: "global", message: 0, spans: 1, tokens: 7 } as const
    const prefixes = [
      mark,
      { ...mark, stability: "session" },
      { ...mark, stability: "conversation", spans: 2, tokens: 9 },
    ] as const
    const marks = (columns: number) =>
      layOut({ messages, prefixes }, columns).rows.flatMap((row) => (row.kind === "mark" ? [[row.names, row.tokens]] : []))
    expect(marks(80)).toEqual([
      ["global, session", 7],
      ["conversation", 9],
    ])
    // A phone cuts the line of two names.
    expect(marks(45)).toEqual([
      ["global", 7],
      ["session", 7],
      ["conversation", 9],
    ])
  })
})

describe("the layers of a request", () => {
  test("are summed by key; those that were left out come last", () => {
    const spans = [span("ab", "history"), span("c"), span("def", "history")]
    const decisions = [
      { key: "history", fate: "shortened", fromTokens: 9, toTokens: 5, reason: "budget" },
      { key: "lore", fate: "dropped", fromTokens: 4, toTokens: 0, reason: "budget" },
    ] as const
    expect(sumLayers({ messages: [{ role: "user", spans }], decisions })).toMatchObject([
      { key: "history", tokens: 5, fate: "shortened", fromTokens: 9 },
      { key: "", tokens: 1, fate: "kept" },
      { key: "lore", tokens: 0, fate: "dropped" },
    ])
  })
})

describe("the waterfall", () => {
  test("is as long as the last of its events, which may come after the answer", () => {
    expect(courseMs({ durationMs: 6, events: [{ type: "commit", atMs: 8 }] })).toBe(8)
    expect(courseMs({ durationMs: 40, events: [{ type: "text-delta", atMs: 10, endMs: 30 }] })).toBe(40)
    expect(courseMs({ events: [] })).toBe(1)
  })

  test("joins a start with its end; what has not ended lasts until now", () => {
    const bars = barsOf(
      [
        { type: "turn-start", atMs: 0 },
        { type: "step-start", atMs: 1, id: "1", name: "planner" },
        { type: "tool-start", atMs: 5, id: "t1", name: "look" },
        { type: "tool-start", atMs: 6, id: "t2", name: "look" },
        { type: "tool-end", atMs: 9, id: "t1", name: "look", text: "failed" },
        { type: "text-delta", atMs: 10, endMs: 30, characters: 12 },
      ],
      40,
    )
    expect(bars.map(({ kind, name, fromMs, toMs, note }) => [kind, name, fromMs, toMs, note])).toEqual([
      ["turn", "", 0, 0, undefined],
      ["step", "planner", 1, 40, undefined],
      ["tool", "look", 5, 9, "failed"],
      ["tool", "look", 6, 40, undefined],
      ["text", "12", 10, 30, undefined],
    ])
  })
})

test("the page makes no element of data: only Preact, which escapes it, writes to the document", () => {
  const files = readdirSync(`${root}page`, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/u.test(name))
  const texts = files.map((name) => readFileSync(`${root}page/${name}`, "utf8"))
  expect(files.length).toBeGreaterThan(5)
  for (const text of texts)
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(/u)
})
