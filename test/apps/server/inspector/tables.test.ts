import { describe, expect, test } from "vitest"
import { readQuestions } from "../../../../src/apps/server/inspector/compare/questions/read-questions.ts"
import { csvOf, totalsOf } from "../../../../src/apps/server/inspector/compare/questions/results.ts"
import { ordersOf } from "../../../../src/apps/server/inspector/compare/questions/run-questions.ts"
import { guardedPath } from "../../../../src/apps/server/inspector/guard.ts"
import { eventOf } from "../../../../src/apps/server/inspector/recorded-event.ts"
import { contextChanges } from "../../../../src/apps/server/inspector/timeline/context-changes.ts"
import type { TurnEvent } from "../../../../src/trace/turn-event.ts"

describe("an event in a record", () => {
  test.each<[string, object, object]>([
    ["step-start", { step: 2, prompt: "planner" }, { id: "2", name: "planner" }],
    ["step-end", { step: 2 }, { id: "2" }],
    ["step-end", { step: 2, error: "boom" }, { id: "2", text: "boom" }],
    ["prestart-start", { id: "p", tool: "clock" }, { id: "p", name: "clock" }],
    ["tool-start", { id: "c", tool: "search" }, { id: "c", name: "search" }],
    ["tool-progress", { id: "c", tool: "search" }, { id: "c", name: "search" }],
    ["prestart-end", { run: { id: "p", tool: "clock", status: "failed" } }, { id: "p", name: "clock", text: "failed" }],
    ["tool-end", { run: { id: "c", tool: "search", status: "done" } }, { id: "c", name: "search" }],
    ["confirm-start", { id: "c", request: { tool: "drop" } }, { id: "c", name: "drop" }],
    ["confirm-end", { id: "c", request: { tool: "drop" } }, { id: "c", name: "drop" }],
    ["child", { id: "c", name: "kid", event: { type: "tool-start" } }, { id: "c", name: "kid", text: "tool-start" }],
    ["retry", { model: "m", reason: "busy" }, { name: "m", text: "busy" }],
    ["warning", { warning: { kind: "k", message: "w" } }, { name: "k", text: "w" }],
    ["emotion", { emotion: "glad" }, { name: "glad" }],
    ["output-event", { name: "n" }, { name: "n" }],
    ["bubble", { text: "four" }, { characters: 4 }],
    ["turn-start", { colour: "red" }, {}],
  ])("%s %j", (type, fields, kept) => {
    expect(eventOf({ type, ...fields } as unknown as TurnEvent, 7)).toEqual({ type, atMs: 7, ...kept })
  })
})

describe("the changes of a virtual context, area by area", () => {
  const moment = (atMs: number) => ({ atMs, turn: 0 })
  const file = (id: string, text: string, atMs = 0) => {
    return { id, kind: "file", text, stability: 1, added: moment(0), recalled: moment(atMs) }
  }
  const event = (id: string, text: string, atMs = 0) => {
    return { id, text, grain: "day", stability: 1, added: moment(0), recalled: moment(atMs), atMs: 0, stamp: "2026-01-02" }
  }
  const pulled = (id: string, text: string, atMs = 0) => ({ id, text, pulled: moment(atMs), stability: 1 })
  const compressed = (turnId: string, text: string, shown: boolean) => ({ turnId, text, shown })
  const state = (areas: object) => ({ version: 1, ended: [], workspace: [], events: [], pulled: [], compressed: [], ...areas })

  test("things come, change, come up again and go; first those before the turn, then those by its tools", () => {
    const before = state({
      workspace: [file("gone", "g"), file("kept", "k"), file("used", "u"), file("changed", "c")],
      events: [event("day", "d")],
      pulled: [pulled("p", "x")],
      compressed: [compressed("t1", "short", false), compressed("t2", "s", true)],
    })
    const begun = state({ ...before, workspace: [file("kept", "k"), file("used", "u", 5), file("changed", "new", 5)] })
    const after = state({
      ...begun,
      events: [event("day", "d", 5), event("next", "n")],
      pulled: [pulled("p", "x", 5)],
      compressed: [compressed("t1", "short", true), compressed("t2", "s", true)],
    })
    const brief = contextChanges({ before, begun, after }).changes.map(
      ({ by, area, change, id, text, grain }) => `${by} ${area} ${change} ${id} ${text} ${grain ?? "-"}`,
    )
    expect(brief).toEqual([
      "background workspace went gone g -",
      "background workspace used used u -",
      "background workspace changed changed new -",
      "model events used day d day",
      "model events came next n day",
      "model pulled used p x -",
      "model compressed shown t1 short -",
    ])
    // Without a first request all of them were there before.
    const late = contextChanges({ before, begun: undefined, after })
    expect(late.changes.map(({ by }) => by)).toEqual(Array(late.changes.length).fill("background"))
    expect(late).toMatchObject({ lost: 0 })
  })

  test("300 changes, and texts of 300 characters, are kept whole", () => {
    const many = (count: number) =>
      state({ workspace: Array.from({ length: count }, (_, at) => file(String(at), "t".repeat(300))) })
    for (const count of [300, 301]) {
      const { changes, lost } = contextChanges({ before: undefined, begun: state({}), after: many(count) })
      expect([changes.length, lost, changes[0]?.text, changes[0]?.by]).toEqual([300, count - 300, "t".repeat(300), "model"])
    }
  })
})

describe("a comparison of many questions", () => {
  test("shows each side first in half of the pairs, and the chance decides which", () => {
    for (const [chance, orders] of [
      [0.49, "abab"],
      [0.5, "baba"],
    ] as const)
      expect(ordersOf(4, () => chance).join("")).toBe(orders)
    expect(ordersOf(3, () => 0)).toEqual(["a", "b", "a"])
  })

  const side = (answer: string, given: object = {}) => ({
    ...{ answer, outcome: { state: "answered", stopReason: "answered" } as const, calls: 1, sentTokens: 10 },
    ...{ usage: { inputTokens: 9, inputCacheReadTokens: 4, outputTokens: 2 }, cost: 0.5, durationMs: 70, ...given },
  })
  const failed = { outcome: { state: "failed", code: "model", message: "no" }, usage: {}, cost: undefined }
  const results = [
    { line: 1, question: "=1+1", expected: 'say "two"', a: side("2,"), b: side("@two\n"), verdict: { score: 0.25, first: "b" } },
    { line: 3, question: "q", a: side("", failed), b: side("x"), verdict: { problem: "late" } },
    { line: 4, question: "-q", a: side("+"), b: side("\t") },
  ] as unknown as Parameters<typeof csvOf>[0]

  test("is a table cell by cell", () => {
    expect(csvOf(results).split("\r\n")).toEqual([
      "line,question,expected,a_answer,a_outcome,a_calls,a_sent_tokens,a_input_tokens,a_cached_tokens,a_output_tokens,a_cost,a_ms," +
        "b_answer,b_outcome,b_calls,b_sent_tokens,b_input_tokens,b_cached_tokens,b_output_tokens,b_cost,b_ms,score,shown_first,judge_problem",
      '1,\'=1+1,"say ""two""","2,",answered,1,10,9,4,2,0.5,70,"\'@two\n",answered,1,10,9,4,2,0.5,70,0.25,b,',
      "3,q,,,model: no,1,10,,,,,70,x,answered,1,10,9,4,2,0.5,70,,,late",
      "4,'-q,,'+,answered,1,10,9,4,2,0.5,70,'\t,answered,1,10,9,4,2,0.5,70,,,",
      "",
    ])
  })

  test("has sums of each side, and a score of what was judged", () => {
    const totals = totalsOf(results)
    expect(totals.a).toEqual({
      ...{ answered: 2, failed: 1, calls: 3, sentTokens: 30, inputTokens: 18, cachedTokens: 8, outputTokens: 4 },
      ...{ cost: 1, unpriced: 1, durationMs: 210 },
    })
    expect(totals.b).toEqual({
      ...{ answered: 3, failed: 0, calls: 3, sentTokens: 30, inputTokens: 27, cachedTokens: 12, outputTokens: 6 },
      ...{ cost: 1.5, unpriced: 0, durationMs: 210 },
    })
    expect([totals.score?.judged, totals.score?.mean]).toEqual([1, 0.25])
    expect(totals.score?.low).toBeCloseTo(0.0147, 3)
    expect(totals.score?.high).toBeCloseTo(0.8821, 3)
    expect(totalsOf([])).toMatchObject({ a: { answered: 0, cost: 0 }, score: undefined })
  })

  const long = "x".repeat(20_000)
  const json = (value: unknown) => `{"question":"q"}\n${JSON.stringify(value)}`
  const said = (count: number) => Array(count).fill({ role: "user", content: "a" })
  test.each<[string, string, string | undefined]>([
    ["words of the most characters", long, undefined],
    ["words of one more", `${long}x`, 'Line 1: expected at most 20000 characters in "question", found 20001.'],
    ["nothing", " \n\n", "Expected a question a line, found an empty file."],
    ["a thousand questions", "q\n".repeat(1_000), undefined],
    ["one more", "q\n".repeat(1_001), "Expected at most 1000 questions, found 1001. Split the file."],
    ["the most before a question", json({ question: "q", history: said(200), expected: "e" }), undefined],
    [
      "one message more",
      json({ question: "q", history: said(201) }),
      'Line 2: expected at most 200 messages in "history", found 201.',
    ],
    ["a list", json([]), "Line 2: expected a JSON object, found []."],
    ["a long text in place of an object", json("y".repeat(70)), `Line 2: expected a JSON object, found "${"y".repeat(59)}….`],
    ["one that is shown whole", json("y".repeat(58)), `Line 2: expected a JSON object, found "${"y".repeat(58)}".`],
    [
      "an unknown key",
      json({ question: "q", answer: 1 }),
      'Line 2: expected "question", "history" and "expected", found "answer".',
    ],
    ["no question", json({}), 'Line 2: expected words in "question", found nothing.'],
    ["blank expectations", json({ question: "q", expected: " " }), 'Line 2: expected words in "expected", found " ".'],
    ["a history that is none", json({ question: "q", history: {} }), 'Line 2: expected a list in "history", found {}.'],
    [
      "words of nobody",
      json({ question: "q", history: [{ content: "a" }] }),
      'Line 2: expected {"role": "user" or "assistant", "content": …} in "history[0]", found {"content":"a"}.',
    ],
    [
      "words with more",
      json({ question: "q", history: [{ role: "user", content: "a", x: 1 }] }),
      'Line 2: expected {"role": "user" or "assistant", "content": …} in "history[0]", found {"role":"user","content":"a","x":1}.',
    ],
    [
      "words without content",
      json({ question: "q", history: [{ role: "assistant" }] }),
      'Line 2: expected words in "history[0].content", found nothing.',
    ],
  ])("refuses a file in words, or reads it: %s", (_what, file, mistake) => {
    const { questions, mistakes } = readQuestions(file)
    expect(mistakes).toEqual(mistake === undefined ? undefined : [mistake])
    expect(questions === undefined).toBe(mistake !== undefined)
  })

  test("tells ten mistakes, and counts more", () => {
    const bad = (count: number) => readQuestions(`{"question":"q"}\n${"[]\n".repeat(count)}`).mistakes
    expect(bad(10)).toHaveLength(10)
    expect(bad(11)?.at(-1)).toBe("1 more lines have mistakes.")
  })

  test("reads a file of words or of JSON with the numbers of its lines", () => {
    expect(readQuestions("\uFEFFa\r\n\r\n b \rc")).toEqual({
      questions: [
        { line: 1, question: "a" },
        { line: 3, question: "b" },
        { line: 4, question: "c" },
      ],
    })
    expect(
      readQuestions('\n {"question":"a","expected":"e"}\n{"question":"b","history":[{"role":"user","content":"x"}]}'),
    ).toEqual({
      questions: [
        { line: 2, question: "a", expected: "e" },
        { line: 3, question: "b", history: [{ role: "user", content: "x" }] },
      ],
    })
  })
})

describe("the guard of the inspector", () => {
  const guard = { token: "secret", hosts: ["box.test"] }
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") => {
    try {
      return guardedPath(new Request(`http://localhost:80${path}`, { method, headers: { host: "localhost", ...headers } }), guard)
    } catch (error) {
      return `${(error as { status: number }).status} ${(error as { param: string | null }).param}`
    }
  }

  test.each<[string, Record<string, string>, string, string]>([
    ["/secret/api/turns", {}, "GET", "api/turns"],
    ["/any/where/secret/", {}, "GET", ""],
    ["/secret", {}, "GET", ""],
    ["/secre", {}, "GET", "404 null"],
    ["/secretx/api", {}, "GET", "404 null"],
    ["/Secret/api", {}, "GET", "404 null"],
    ["/xecret/api", {}, "GET", "404 null"],
    ["/secrex/api", {}, "GET", "404 null"],
    ["/secret/", { origin: "http://localhost" }, "POST", ""],
    ["/secret/", { origin: "http://evil.test" }, "POST", "403 origin"],
    ["/secret/", { origin: "null" }, "POST", "403 origin"],
    ["/secret/", { "sec-fetch-site": "same-origin" }, "POST", ""],
    ["/secret/", { "sec-fetch-site": "none" }, "GET", ""],
    ["/secret/", { "sec-fetch-site": "cross-site" }, "GET", "403 sec-fetch-site"],
    ["/secret/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }, "GET", ""],
    ["/secret/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }, "POST", "403 sec-fetch-site"],
    ["/secret/", { host: "box.test:8080" }, "GET", ""],
    ["/secret/", { host: "BOX.test" }, "GET", ""],
    ["/secret/", { host: "evil.test" }, "GET", "403 host"],
    ["/secret/", { host: "127.0.0.1:1" }, "GET", ""],
  ])("%s with %j by %s gives %j", (path, headers, method, found) => {
    expect(ask(path, headers, method)).toBe(found)
  })
})
