import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { align, mirrored } from "../../../../../src/apps/server/inspector/compare/align.ts"
import { diffTexts } from "../../../../../src/apps/server/inspector/compare/compare-texts.ts"
import {
  type ComparableRequest,
  compareRequests,
  compareTurns,
} from "../../../../../src/apps/server/inspector/compare/compare-turns.ts"
import type { TurnRecord } from "../../../../../src/apps/server/inspector/turn-record.ts"
import { runs, seedOf } from "../../../../support/size.ts"

const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`)

describe("the most that is searched", () => {
  test.each([
    [1_000, 1_000, true],
    [1_000, 1_001, false],
    [1, 1_999, true],
    [1, 2_000, false],
    [0, 5_000, true],
  ])("of %d entries against %d others is the whole: %s", (own, other, isWhole) => {
    expect(align(named("a", own), named("b", other)).isWhole).toBe(isWhole)
    expect(align(named("b", other), named("a", own)).isWhole).toBe(isWhole)
  })

  test("equal entries cost nothing, wherever they are", () => {
    const same = named("s", 3_000)
    const { runs: found, isWhole } = align(["a", ...same, "b", ...same], [...same, "c", ...same, "d"])
    expect(isWhole).toBe(true)
    expect(found.map(({ isSame, a, b }) => [isSame, ...a, ...b])).toEqual([
      [false, 0, 1, 0, 0],
      [true, 1, 3_001, 0, 3_000],
      [false, 3_001, 3_002, 3_000, 3_001],
      [true, 3_002, 6_002, 3_001, 6_001],
      [false, 6_002, 6_002, 6_001, 6_002],
    ])
  })

  test.each([
    [100, 100, true],
    [100, 101, false],
    [1, 10_000, true],
    [1, 10_001, false],
  ])("lines that are alike are looked for among %d × %d: %s", (own, other, isFound) => {
    const line = (name: string) => `a line that is much alike ${name}\n`
    const [a, b] = [named("a", own).map(line).join(""), named("b", other).map(line).join("")]
    expect(diffTexts(a, b).runs.some(({ kind }) => kind === "changed")).toBe(isFound)
  })

  test.each([
    ["aaaa------", "aaaa......", "changed"],
    ["aaa-------", "aaa.......", "removed"],
    ["--------aa", "aa........aa", "removed"],
    ["aa------aa", "aa......aa", "changed"],
    ["a---------", "aaaa", "removed"],
    ["aaaa", "aaaa------", "changed"],
    ["  aaaa------\t", "aaaa......", "changed"],
    ["", " ", "removed"],
    // What begins and ends both counts once.
    ["aaa", "aaaaaaaa", "removed"],
    ["aaaa", "aaaaaaaaaa", "changed"],
    ["aaaa", "aaaaaaaaaaa", "removed"],
    // Half of a pair of surrogates is no common beginning.
    ["😀", "😁", "removed"],
  ])("%j against %j is %s", (a, b, kind) => {
    const kinds = (x: string, y: string) => diffTexts(`${x}\n`, `${y}\n`).runs.map((run) => run.kind)
    expect(kinds(a, b)).toEqual(kind === "changed" ? ["changed"] : ["removed", "added"])
    expect(kinds(b, a)).toEqual(kind === "changed" ? ["changed"] : ["removed", "added"])
  })

  test.each([
    [2_000, "removed"],
    [1_999, "removed"],
    [801, "changed"],
    [800, "changed"],
    [799, "removed"],
  ])("of long lines the first 2,000 units count: %d equal ones of them", (equal, kind) => {
    const [a, b] = ["-", "."].map((sign) =>
      equal > 801 ? sign.repeat(equal) : `${"a".repeat(equal)}${sign.repeat(2_000 - equal)}`,
    )
    const tail = equal > 801 ? "a".repeat(9_000) : ""
    expect(diffTexts(a + tail, b + tail).runs[0]?.kind).toBe(kind)
  })
})

describe("lines that are alike", () => {
  /** The share of the longer line at both ends, by looking at every beginning and end. */
  function likeness(a: string, b: string): number {
    let best = 0
    while (best < Math.min(a.length, b.length) && a[best] === b[best]) best++
    let tail = 0
    while (tail < Math.min(a.length, b.length) - best && a.at(-1 - tail) === b.at(-1 - tail)) tail++
    const share = (best + tail) / Math.max(a.length, b.length, 1)
    return share >= 0.4 ? share : 0
  }

  /** The most that pairs of lines in order are alike, by trying all. */
  function mostAlike(a: readonly string[], b: readonly string[]): number {
    if (a.length === 0 || b.length === 0) return 0
    const [x = "", ...restA] = a
    const pairs = b.map((y, at) => (likeness(x, y) > 0 ? likeness(x, y) + mostAlike(restA, b.slice(at + 1)) : 0))
    return Math.max(mostAlike(restA, b), ...pairs)
  }

  test("are paired so that all pairs together are most alike, and no line goes back", () => {
    const line = (sign: string) => fc.string({ unit: fc.constantFrom("x", "y", sign), minLength: 1, maxLength: 6 })
    const lines = (sign: string) =>
      fc.array(line(sign), { maxLength: 4 }).map((all) => all.map((each) => `${sign}${each}${sign}`))
    fc.assert(
      fc.property(lines("x"), lines("y"), (own, other) => {
        const [a, b] = [own.map((each) => `${each}\n`).join(""), other.map((each) => `${each}\n`).join("")]
        const changed = diffTexts(a, b).runs.filter(({ kind }) => kind === "changed")
        const found = changed.map((run) => likeness(a.slice(...run.a).trim(), b.slice(...run.b).trim()))
        expect(found.reduce((sum, share) => sum + share, 0)).toBeCloseTo(mostAlike(own, other), 9)
        expect(Math.min(1, ...found)).toBeGreaterThanOrEqual(0.4)
      }),
      { numRuns: runs(2_000), seed: seedOf(113) },
    )
  })
})

test("pairs are looked for in one order of the lists, whichever comes first", () => {
  const seen: string[] = []
  const find = (a: readonly string[], b: readonly string[]) => {
    seen.push(`${a}|${b}`)
    return [[0, 1]] as const
  }
  for (const [a, b] of [
    ["a", "bc"],
    ["bc", "a"],
    ["ab", "ac"],
    ["ac", "ab"],
    ["ab", "ab"],
  ] as const)
    seen.push(String(mirrored([...a], [...b], find)))
  expect(seen).toEqual(["a|b,c", "0,1", "a|b,c", "1,0", "a,b|a,c", "0,1", "a,b|a,c", "1,0", "a,b|a,b", "0,1"])
  expect(mirrored(["b"], ["a"], () => undefined)).toBeUndefined()
})

const span = (text: string, key = "", tokens = 1) =>
  ({ text, key, tokens, part: "content", trust: "user", stability: "turn" }) as const
const request = (more: Partial<ComparableRequest> = {}): ComparableRequest => ({
  ...{ step: 1, messages: [], tokens: 9, overheadTokens: 0, exact: true, prefixes: [], decisions: [] },
  ...more,
})

describe("two requests", () => {
  const compare = (a: ComparableRequest["messages"], b: ComparableRequest["messages"]) =>
    compareRequests({ turn: "a", request: request({ messages: a }) }, { turn: "b", request: request({ messages: b }) }, undefined)

  test("show calls at the end of a message, behind a line break if there are words", () => {
    const calls = [
      { id: "1", name: "look", args: '{"a":1}' },
      { id: "2", name: "go", args: "{}" },
    ]
    const shown = (spans: readonly ReturnType<typeof span>[]) =>
      compare([{ role: "assistant", spans, toolCalls: calls }], []).a[0]?.spans.at(-1)
    const words = 'look {"a":1}\ngo {}'
    expect(shown([span("")])).toEqual({ ...span(words, "calls", 0), trust: "agent" })
    expect(shown([span("Well,")])?.text).toBe(`\n${words}`)
    expect(compare([{ role: "user", spans: [], toolCalls: [] }], []).a).toEqual([{ role: "user", spans: [], toolCalls: [] }])
  })

  test("pair equal messages first, then messages of one role, in order", () => {
    const message = (role: "user" | "assistant" | "system", text: string) => ({ role, spans: [span(text)] })
    const { messages } = compare(
      [message("system", "s"), message("user", "old"), message("assistant", "same"), message("user", "x")],
      [message("user", "new"), message("system", "s"), message("assistant", "same"), message("assistant", "y")],
    )
    expect(messages.map(({ a, b }) => [a, b])).toEqual([
      [undefined, 0],
      [0, 1],
      [1, undefined],
      [2, 2],
      [3, undefined],
      [undefined, 3],
    ])
  })

  test("count the tokens of each layer of both, in the order in which they begin", () => {
    const { layers } = compare(
      [
        { role: "system", spans: [span("a", "x", 2), span("b", "", 3), span("c", "x", 4)] },
        { role: "user", spans: [span("d", "y", 5)] },
      ],
      [{ role: "system", spans: [span("e", "z", 6), span("f", "x", 7)] }],
    )
    expect(layers).toEqual([
      { key: "x", a: 6, b: 7 },
      { key: "", a: 3, b: 0 },
      { key: "y", a: 5, b: 0 },
      { key: "z", a: 0, b: 6 },
    ])
  })
})

describe("two turns", () => {
  const call = (step: number, prompt: string) =>
    ({ ...request(), step, prompt, model: `m${step}`, startedMs: 0, durationMs: 1, output: "", tokens: step }) as const
  const child = (name: string, requests: readonly object[], children: readonly object[] = []) => ({
    id: name,
    name,
    requests,
    children,
  })
  const record = (id: string, requests: readonly object[], children: readonly object[] = []) =>
    ({ id, requests, children, tools: [{}], question: "Q" }) as unknown as TurnRecord

  const left = record(
    "a",
    [call(1, "planner"), call(2, "final")],
    [child("look", [call(3, "chat")], [child("deep", [call(4, "chat")])]), child("look", [call(5, "chat")])],
  )

  test("name every request, those of children under their path and number", () => {
    const { a, b } = compareTurns({ record: left, index: 3 }, { record: record("b", [call(1, "planner")]), index: 0 }, {})
    expect(a).toMatchObject({ id: "a", question: "Q", calls: 2, tools: 1, chosen: 3 })
    expect(a.requests).toEqual([
      { path: "", step: 1, prompt: "planner", model: "m1", tokens: 1 },
      { path: "", step: 2, prompt: "final", model: "m2", tokens: 2 },
      { path: "look 1 › ", step: 3, prompt: "chat", model: "m3", tokens: 3 },
      { path: "look 1 › deep 1 › ", step: 4, prompt: "chat", model: "m4", tokens: 4 },
      { path: "look 2 › ", step: 5, prompt: "chat", model: "m5", tokens: 5 },
    ])
    expect(b.chosen).toBe(0)
  })

  test.each([
    [-1, "Expected the index of one of 5 requests."],
    [5, "Expected the index of one of 5 requests."],
    [Number.NaN, "Expected the index of one of 5 requests."],
    [0.5, "Expected the index of one of 5 requests."],
  ])("have no request %d", (index, message) => {
    const b = { record: left, index: 0 }
    expect(() => compareTurns({ record: left, index, param: "requestA" }, b, {})).toThrow(
      expect.objectContaining({ message, param: "requestA", status: 400 }),
    )
    expect(() => compareTurns({ record: left, index }, b, {})).toThrow(expect.objectContaining({ param: "request" }))
  })

  test("without any request have no comparison of one, and no other index than 0", () => {
    const none = record("n", [])
    expect(compareTurns({ record: none, index: 0 }, { record: left, index: 0 }, {}).request).toBeUndefined()
    expect(() => compareTurns({ record: none, index: 1 }, { record: left, index: 0 }, {})).toThrow("one of 0 requests")
  })
})
