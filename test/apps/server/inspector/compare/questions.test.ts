import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { RunEstimate } from "../../../../../src/apps/server/inspector/compare/compare-agents.ts"
import type { QuestionEvent } from "../../../../../src/apps/server/inspector/compare/questions/questions-route.ts"
import { readQuestions } from "../../../../../src/apps/server/inspector/compare/questions/read-questions.ts"
import {
  csvOf,
  intervalOf,
  type QuestionResult,
  totalsOf,
} from "../../../../../src/apps/server/inspector/compare/questions/results.ts"
import {
  type JudgeTask,
  judgeAnswers,
  ordersOf,
} from "../../../../../src/apps/server/inspector/compare/questions/run-questions.ts"
import { seededRandom } from "../../../../../src/testing/index.ts"
import { runs, seedOf } from "../../../../support/size.ts"
import { inspected } from "../inspected.ts"
import { differing } from "./differing.ts"

const size = { numRuns: runs(200), seed: seedOf(20) }

describe("a file of questions", () => {
  test("has one a line, or JSON Lines with what was said before and what is expected", () => {
    expect(readQuestions("\uFEFFOne?\r\n\r\n  Two? \n").questions).toEqual([
      { line: 1, question: "One?" },
      { line: 3, question: "Two?" },
    ])
    const history = [{ role: "user", content: "Hi" }]
    const lines = [{ question: "One?", history, expected: "1" }, { question: "Two?" }].map((line) => JSON.stringify(line))
    expect(readQuestions(`\n${lines.join("\n")}`).questions).toEqual([
      { line: 2, question: "One?", history, expected: "1" },
      { line: 3, question: "Two?" },
    ])
  })

  test.each([
    ["", "Expected a question a line, found an empty file."],
    [" \n\n", "Expected a question a line"],
    ['{"question":"a"}\nplain', "Line 2: expected a JSON object, as the first line has one"],
    ['{"question":"a"}\n[1]', "Line 2: expected a JSON object, found [1]."],
    ['{"question":" "}', 'Line 1: expected words in "question", found " ".'],
    ['{"question":1}', 'Line 1: expected words in "question", found 1.'],
    ['{"question":"a","answer":"b"}', 'Line 1: expected "question", "history" and "expected", found "answer".'],
    ['{"question":"a","expected":2}', 'Line 1: expected words in "expected", found 2.'],
    ['{"question":"a","history":"b"}', 'Line 1: expected a list in "history"'],
    ['{"question":"a","history":[{"role":"system","content":"b"}]}', 'in "history[0]", found {"role":"system"'],
    ['{"question":"a","history":[{"role":"user"}]}', 'Line 1: expected words in "history[0].content", found nothing.'],
    [`${"x".repeat(20_001)}`, "Line 1: expected at most 20000 characters"],
    ["a\n".repeat(1_001), "Expected at most 1000 questions, found 1001."],
    ['{"__proto__":1,"question":"a"}', 'Line 1: expected "question", "history" and "expected", found "__proto__".'],
  ])("with a mistake is refused with its line: %j", (file, problem) => {
    expect(readQuestions(file).mistakes?.join("\n")).toContain(problem)
  })

  test("with many mistakes tells ten and counts the others", () => {
    const { mistakes } = readQuestions(`{"question":"a"}\n${"b\n".repeat(30)}`)
    expect(mistakes).toHaveLength(11)
    expect(mistakes?.at(-1)).toBe("20 more lines have mistakes.")
  })
})

describe("a judge", () => {
  test("sees each side first equally often, whatever the chance", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(), (pairs, seed) => {
        const orders = ordersOf(2 * pairs, seededRandom(seed))
        expect(orders.filter((side) => side === "a")).toHaveLength(pairs)
      }),
      size,
    )
  })

  test("that prefers a place prefers no side", async () => {
    for (const place of [0, 1]) {
      const orders = ordersOf(40, seededRandom(7))
      const verdicts = await Promise.all(
        orders.map((first) =>
          judgeAnswers(() => place, { question: "q", answers: { a: "x", b: "y" }, first, signal: new AbortController().signal }),
        ),
      )
      const scores = verdicts.flatMap((verdict) => ("score" in verdict ? verdict.score : []))
      expect(intervalOf(scores)?.mean).toBe(0.5)
      expect(new Set(orders.slice(0, 20)).size).toBe(2)
    }
  })

  test("that fails, or says no number from 0 to 1, is told, and a word that nobody waits for is left", async () => {
    const ask = (judge: () => unknown, signal = new AbortController().signal) =>
      judgeAnswers(judge as () => number, { question: "q", answers: { a: "x", b: "y" }, first: "a", signal })
    for (const word of [2, -1, Number.NaN, "0.5", undefined])
      expect(await ask(() => word)).toEqual({ problem: `Expected a number from 0 to 1 of the judge, found ${String(word)}.` })
    const fails = ask(() => {
      throw new Error("no quota")
    })
    expect(await fails).toEqual({ problem: "no quota" })
    expect(await ask(() => new Promise(() => undefined), AbortSignal.abort())).toHaveProperty("problem")
  })
})

const side = fc.record({
  answer: fc.oneof(fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", "=", "展"), maxLength: 8 }), fc.constant("=1+1")),
  outcome: fc.constantFrom(
    { state: "answered", stopReason: "finish" } as const,
    { state: "failed", code: "model", message: 'a "b", c' } as const,
  ),
  calls: fc.nat(5),
  sentTokens: fc.nat(99),
  usage: fc.record({ inputTokens: fc.nat(100), inputCacheReadTokens: fc.nat(100), outputTokens: fc.nat(100) }),
  cost: fc.option(fc.nat(100), { nil: undefined }),
  durationMs: fc.nat(1_000),
})
const result: fc.Arbitrary<QuestionResult> = fc.record({
  ...{ line: fc.nat(99), question: fc.string({ maxLength: 5 }), expected: fc.constant(undefined), a: side, b: side },
  verdict: fc.option(fc.record({ score: fc.constantFrom(0, 0.25, 0.5, 1), first: fc.constantFrom("a" as const, "b" as const) }), {
    nil: undefined,
  }),
})

describe("the results", () => {
  test("have the same sums on sides that change places, and the rest of the score", () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: 12 }), (results) => {
        const swapped = results.map(({ a, b, verdict, ...rest }): QuestionResult => {
          const turned = verdict && "score" in verdict ? { ...verdict, score: 1 - verdict.score } : verdict
          return { ...rest, a: b, b: a, verdict: turned }
        })
        const [there, back] = [totalsOf(results), totalsOf(swapped)]
        expect([back.a, back.b]).toEqual([there.b, there.a])
        expect(back.score === undefined).toBe(there.score === undefined)
        if (!there.score || !back.score) return
        expect(back.score.mean).toBeCloseTo(1 - there.score.mean, 9)
        expect(back.score.low).toBeCloseTo(1 - there.score.high, 9)
        const { low, mean, high } = there.score
        expect(low >= 0 && low <= mean && mean <= high && high <= 1).toBe(true)
      }),
      size,
    )
  })

  test("tell no tokens and no money that nobody counted", () => {
    const side = {
      answer: "a",
      outcome: { state: "answered", stopReason: "finish" },
      calls: 1,
      sentTokens: 7,
      durationMs: 1,
    } as const
    const a = { ...side, usage: {} }
    const b = { ...side, usage: { inputTokens: 0, outputTokens: 2 }, cost: 1 }
    const totals = totalsOf([
      { line: 1, question: "q", a, b },
      { line: 2, question: "q", a, b: a },
    ])
    expect(totals.a).toMatchObject({ sentTokens: 14, inputTokens: undefined, outputTokens: undefined, unpriced: 2 })
    expect(totals.b).toMatchObject({ inputTokens: 0, cachedTokens: undefined, outputTokens: 2, cost: 1, unpriced: 1 })
  })

  test("have Wilson's interval", () => {
    const { mean, low, high } = intervalOf([...Array(8).fill(1), 0, 0]) ?? { mean: 0, low: 0, high: 0 }
    expect([mean, low, high].map((value) => value.toFixed(4))).toEqual(["0.8000", "0.4902", "0.9433"])
    expect(intervalOf([])).toBeUndefined()
  })

  test("are a table from which each text is read back, and in which no text is a formula", () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: 6 }), (results) => {
        const rows = cellsOf(csvOf(results))
        expect(rows).toHaveLength(results.length + 1)
        for (const [at, { a, question }] of results.entries()) {
          const row = rows[at + 1] ?? []
          expect(row).toHaveLength(rows[0]?.length ?? 0)
          for (const cell of row) expect(cell).not.toMatch(/^[=+@\t\r]|^-(?!\d)/u)
          expect([row[1]?.replace(/^'/u, ""), row[3]?.replace(/^'/u, "")]).toEqual([
            question.replace(/^'/u, ""),
            a.answer.replace(/^'/u, ""),
          ])
        }
      }),
      size,
    )
  })
})

/** Reads comma-separated values. */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain = "", end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gu)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ",") continue
    rows.push(row)
    row = []
  }
  return rows
}

/** Questions by the agents `calm` and `wild`. */
function asking(
  answers: Parameters<typeof differing>[0],
  options: Parameters<typeof inspected>[1] = {},
  counter?: Parameters<typeof differing>[1],
) {
  const { variant, models, closed } = differing(answers, counter)
  const prices = { calm: { input: 10, output: 20 }, wild: { input: 1, output: 2 } }
  const all = inspected([], { variant, prices, profile: { dialect: "layered", locale: "en" }, ...options })
  const sides = { left: { model: "calm" }, right: { model: "wild" } }
  const ask = (body: object) => all.post("api/compare/questions", { ...sides, ...body })
  const events = async (text: string): Promise<QuestionEvent[]> => {
    const sent = await (await ask({ text, run: true })).text()
    return sent
      .split("\n\n")
      .filter((event) => event.startsWith("data: "))
      .map((event) => JSON.parse(event.slice(6)) as QuestionEvent)
  }
  return { ...all, ask, events, models, closed }
}

describe("the questions of a file", () => {
  test("are answered by both agents, at most two at a time, with what each took, and nothing is kept", async () => {
    const { events, models, closed, get } = asking({ calm: "Calm.", wild: "Wild!" })
    const found = await events("One?\nTwo?\nThree?\nFour?\nFive?")
    const results = found.flatMap((event) => (event.type === "result" ? event.result : []))
    expect(found.at(-1)).toEqual({ type: "end" })
    expect(results.map(({ question }) => question).sort()).toEqual(["Five?", "Four?", "One?", "Three?", "Two?"])
    expect(results[0]).toMatchObject({ a: { answer: "Calm.", calls: 1, cost: 0.0012 }, b: { answer: "Wild!", cost: 0.00012 } })
    expect(totalsOf(results)).toMatchObject({ a: { answered: 5, inputTokens: 500, cachedTokens: 250 }, b: { failed: 0 } })
    expect(models.most).toBeLessThanOrEqual(4)
    expect(closed).toEqual(["wild", "calm"])
    expect(await get("api/turns")).toMatchObject({ turns: [] })
  })

  test("have the conversation before them in their requests", async () => {
    const seen: string[] = []
    const { events } = asking({
      calm: ({ messages }) => {
        seen.push(messages.map(({ content }) => content).join("\n"))
        return "ok"
      },
    })
    const history = [
      { role: "user", content: "I am Ann." },
      { role: "assistant", content: "Hello Ann." },
    ]
    await events(JSON.stringify({ question: "Who am I?", history, expected: "Ann, secretly" }))
    expect(seen[0]).toMatch(/I am Ann\.[\s\S]*Hello Ann\.[\s\S]*Who am I\?/u)
    expect(seen[0]).not.toContain("secretly")
  })

  test("cost what is said before: no model is asked for that", async () => {
    const { ask, models } = asking({})
    const text = Array.from({ length: 50 }, (_, at) => `Question ${at}?`).join("\n")
    const estimate = await (await ask({ text })).json()
    expect(estimate).toMatchObject({
      questions: 50,
      sampled: 20,
      judge: false,
      a: { model: "calm", exact: false },
      b: { model: "wild" },
    })
    expect((estimate as { a: { answerTokens: number } }).a.answerTokens).toBe(50_000)
    expect(models.asked).toEqual([])
  })

  test.each([
    [1, true],
    [20, true],
    [21, false],
    [40, false],
  ])("are estimated exactly where the agents count exactly and all %d are looked at: %s", async (count, exact) => {
    const { ask } = asking({}, {}, { exact: true, count: (text) => text.length })
    const text = "Same?\n".repeat(count)
    const { a: all, sampled } = (await (await ask({ text })).json()) as { a: RunEstimate; sampled: number }
    const { a: one } = (await (await ask({ text: "Same?" })).json()) as { a: RunEstimate }
    expect([sampled, all.exact]).toEqual([Math.min(count, 20), exact])
    expect(all).toMatchObject({ readTokens: count * one.readTokens, answerTokens: count * one.answerTokens })
    expect([all.readCost, all.answerCost]).toEqual(
      [one.readCost, one.answerCost].map((cost = 0) => expect.closeTo(count * cost, 9)),
    )
  })

  test("are judged where a judge is injected, in an order that the agent's chance decides", async () => {
    const tasks: JudgeTask[] = []
    const { events } = asking(
      {
        calm: "Calm.",
        wild: ({ messages }) => (messages.at(-1)?.content.includes("One") ? Promise.reject(new Error("down")) : "Wild!"),
      },
      {
        judge(task) {
          tasks.push(task)
          return task.answers[0] === "Wild!" ? 0 : 1
        },
      },
    )
    const found = await events("One?\nTwo?\nThree?\nFour?\nFive?")
    const results = found.flatMap((event) => (event.type === "result" ? event.result : []))
    expect(tasks.map(({ question }) => question).sort()).toEqual(["Five?", "Four?", "Three?", "Two?"])
    expect(totalsOf(results).score).toMatchObject({ judged: 4, mean: 1 })
    expect(results.find(({ question }) => question === "One?")).toMatchObject({ b: { outcome: { state: "failed" } } })
    expect(new Set(results.flatMap(({ verdict }) => (verdict && "first" in verdict ? verdict.first : []))).size).toBe(2)
  })

  test("end when the reader leaves: no further one begins, and nothing goes on running", async () => {
    const { ask, models, closed } = asking({
      calm: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")))
        }),
    })
    const answer = await ask({ text: "a\n".repeat(100), run: true })
    const reader = answer.body?.getReader()
    const first = reader?.read()
    await expect.poll(() => models.running).toBe(2)
    await reader?.cancel()
    await first
    await expect.poll(() => closed).toEqual(["wild", "calm"])
    expect([models.running, models.asked.length]).toEqual([0, 4])
  })

  test("are refused by name: mistakes with their lines, an agent that cannot be made, a file of 100 MB, no token", async () => {
    const { ask, events, fetch, made } = asking({})
    const told = async (body: object) => {
      const answer = await ask(body)
      return [answer.status, await answer.text()]
    }
    expect(await told({ text: '{"question":"a"}\nb' })).toEqual([400, expect.stringContaining("Line 2")])
    expect(await told({})).toEqual([400, expect.stringContaining("Expected the text of a file.")])
    expect(await told({ text: "a", right: { profile: "nobody" } })).toEqual([422, expect.stringContaining('"side":"right"')])
    expect(await told({ text: "a", right: { name: "x" } })).toEqual([400, expect.stringContaining("change.name")])
    const failing = asking({})
    const sent = await failing.post("api/compare/questions", { text: "a", left: { profile: "nobody" }, run: true })
    expect(await sent.text()).toContain('"type":"problem","side":"left"')
    expect(await events("a")).toHaveLength(2)
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(100_000).fill(97))
        if (pulled === 1_000) controller.close()
      },
    })
    const large = await fetch("api/compare/questions", { method: "POST", body: endless, duplex: "half" } as RequestInit)
    expect([large.status, pulled < 20]).toEqual([413, true])
    const url = (token: string) => `http://127.0.0.1:1/${token}/api/compare/questions`
    const body = JSON.stringify({ text: "a", run: true })
    expect((await made.fetch(new Request(url("x".repeat(32)), { method: "POST", body }))).status).toBe(404)
    const host = { host: "evil.test" }
    expect((await made.fetch(new Request(url(made.token), { method: "POST", body, headers: host }))).status).toBe(403)
  })
})
