import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type FileQuestion,
  intervalOf,
  type QuestionResult,
  readQuestions,
  totalsOf,
} from "../../../../../page/compare/question-file.ts"
import { wordsFor } from "../../../../../page/words.ts"
import type { AgentComparison } from "../../../../../src/apps/server/inspector/compare/compare-agents.ts"
import { type JudgeTask, judgeAnswers } from "../../../../../src/apps/server/inspector/compare/judge.ts"
import { seededRandom } from "../../../../../src/testing/index.ts"
import { runs, seedOf } from "../../../../support/size.ts"
import { inspected } from "../inspected.ts"
import { differing } from "./differing.ts"

const size = { numRuns: runs(200), seed: seedOf(20) }

function read(file: string, locale = "en"): readonly FileQuestion[] {
  return readQuestions(file, wordsFor(locale))
}

describe("a file of questions", () => {
  test("has one a line, or JSON Lines with what is expected", () => {
    expect(read("\uFEFFOne?\r\n\r\n  Two? \rThree?")).toEqual([
      { line: 1, question: "One?" },
      { line: 3, question: "Two?" },
      { line: 4, question: "Three?" },
    ])
    const lines = [{ question: "One?", expected: "1" }, { question: "Two?" }].map((line) => JSON.stringify(line))
    expect(read(`\n ${lines.join("\n")}`)).toEqual([
      { line: 2, question: "One?", expected: "1" },
      { line: 3, question: "Two?" },
    ])
    expect(read("a\n".repeat(1_000))).toHaveLength(1_000)
  })

  test.each([
    ["", "Expected 1 to 1,000 questions, found 0."],
    [" \n\n", "Expected 1 to 1,000 questions, found 0."],
    ["a\n".repeat(1_001), "Expected 1 to 1,000 questions, found 1001."],
    ...[
      "plain",
      "[1]",
      "null",
      '{"question":" "}',
      '{"question":1}',
      "{}",
      '{"question":"a","answer":"b"}',
      '{"question":"a","expected":2}',
      '{"question":"a","expected":" "}',
      '{"__proto__":1,"question":"a"}',
    ].map((line) => [`{"question":"a"}\n\n${line}`, "Line 3: expected a JSON object with words in question"]),
  ])("with a mistake is refused with its line: %j", (file, problem) => {
    expect(() => read(file)).toThrow(problem)
    expect(() => read(file, "zh-CN")).toThrow(/第 3 行|1,000/u)
  })
})

describe("a judge", () => {
  const asked = { question: "q", a: "x", b: "y", signal: new AbortController().signal }

  test("sees either side first, as chance decides, and prefers no side if it prefers a place", async () => {
    for (const place of [0, 1]) {
      const random = seededRandom(7)
      const verdicts = await Promise.all(Array.from({ length: 400 }, () => judgeAnswers(() => place, asked, random)))
      const firsts = verdicts.map((verdict) => "first" in verdict && verdict.first)
      expect(firsts.filter((first) => first === "a").length).toBeGreaterThan(170)
      expect(firsts.filter((first) => first === "b").length).toBeGreaterThan(170)
      for (const [at, verdict] of verdicts.entries())
        expect(verdict).toMatchObject({ score: firsts[at] === "a" ? place : 1 - place })
    }
    expect(
      await judgeAnswers(
        () => 0.25,
        asked,
        () => 0.49,
      ),
    ).toEqual({ score: 0.25, first: "a" })
    expect(
      await judgeAnswers(
        () => 0.25,
        asked,
        () => 0.5,
      ),
    ).toEqual({ score: 0.75, first: "b" })
  })

  test("that fails, or says no number from 0 to 1, is told, and a word that nobody waits for is left", async () => {
    const ask = (judge: () => unknown, signal = asked.signal) =>
      judgeAnswers(judge as () => number, { ...asked, signal }, () => 0)
    for (const word of [2, -1, Number.NaN, "0.5", undefined])
      expect(await ask(() => word)).toEqual({ problem: `Expected a number from 0 to 1 of the judge, found ${String(word)}.` })
    const fails = ask(() => {
      throw new Error("no quota")
    })
    expect(await fails).toEqual({ problem: "no quota" })
    expect(await ask(() => new Promise(() => undefined), AbortSignal.abort())).toHaveProperty("problem")
  })
})

type Side = QuestionResult["a"]

const outcome = fc.constantFrom<Side["outcome"]>(
  { state: "answered", stopReason: "finish" },
  { state: "failed", code: "model", message: "no" },
)
const side = fc.record({
  ...{ outcome, calls: fc.nat(5), requests: fc.array(fc.record({ tokens: fc.nat(99) }), { maxLength: 3 }) },
  usage: fc.record({ inputTokens: fc.nat(100), inputCacheReadTokens: fc.nat(100), outputTokens: fc.nat(100) }),
  cost: fc.option(fc.nat(100), { nil: undefined }),
  durationMs: fc.nat(1_000),
}) as unknown as fc.Arbitrary<Side>
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
    const side = { outcome: { state: "answered", stopReason: "finish" }, calls: 1, requests: [{ tokens: 7 }], durationMs: 1 }
    const a = { ...side, usage: {} } as unknown as Side
    const b = { ...a, usage: { inputTokens: 0, outputTokens: 2 }, cost: 1 }
    const totals = totalsOf([
      { line: 1, question: "q", a, b, verdict: { problem: "late" } },
      { line: 2, question: "q", a, b: a },
    ])
    const nothing = { inputTokens: undefined, cachedTokens: undefined, outputTokens: undefined, unpriced: 2, cost: 0 }
    expect(totals.a).toEqual({ answered: 2, failed: 0, calls: 2, sentTokens: 14, durationMs: 2, ...nothing })
    expect(totals.b).toMatchObject({ inputTokens: 0, cachedTokens: undefined, outputTokens: 2, cost: 1, unpriced: 1 })
    expect(totals.score).toBeUndefined()
  })

  test("have Wilson's interval", () => {
    const { mean, low, high } = intervalOf([...Array(8).fill(1), 0, 0]) ?? { mean: 0, low: 0, high: 0 }
    expect([mean, low, high].map((value) => value.toFixed(4))).toEqual(["0.8000", "0.4902", "0.9433"])
    expect(intervalOf([])).toBeUndefined()
  })
})

/** Questions by the agents `calm` and `wild`. */
function asking(answers: Parameters<typeof differing>[0], options: Parameters<typeof inspected>[1] = {}) {
  const { variant, models, closed } = differing(answers)
  const all = inspected([], { variant, profile: { dialect: "layered", locale: "en" }, ...options })
  const body = { left: { model: "calm" }, right: { model: "wild" }, run: true }
  const ask = async (given: object) => (await (await all.post("api/compare", { ...body, ...given })).json()) as AgentComparison
  return { ...all, ask, models, closed }
}

describe("an answered question", () => {
  test("is judged where a judge is injected, with what is expected, which no model reads", async () => {
    const tasks: JudgeTask[] = []
    const seen: string[] = []
    const { ask, get } = asking(
      {
        calm: ({ messages }) => {
          seen.push(messages.map(({ content }) => content).join("\n"))
          return "Calm."
        },
        wild: ({ messages }) => (messages.at(-1)?.content.includes("One") ? Promise.reject(new Error("down")) : "Wild!"),
      },
      {
        judge(task) {
          tasks.push(task)
          return task.answers[0] === "Wild!" ? 0 : 1
        },
      },
    )
    expect(await get("api/info")).toMatchObject({ judge: true })
    expect(await ask({ question: "One?" })).toMatchObject({ a: { answer: "Calm." }, b: { outcome: { state: "failed" } } })
    expect(tasks).toEqual([])
    const { verdict } = await ask({ question: "Two?", expected: "secretly" })
    expect(verdict).toMatchObject({ score: 1 })
    expect(tasks).toMatchObject([{ question: "Two?", expected: "secretly" }])
    expect(seen.join()).not.toContain("secretly")
    expect((await ask({ question: "Two?", run: false })).verdict).toBeUndefined()
    expect(tasks).toHaveLength(1)
  })

  test("has no score without a judge, and expects words", async () => {
    const { ask, get, post } = asking({})
    expect(await get("api/info")).toMatchObject({ judge: false })
    expect(await ask({ question: "Two?" })).not.toHaveProperty("verdict")
    for (const expected of ["", " ", 1, "x".repeat(20_001)])
      expect((await post("api/compare", { question: "q", expected })).status).toBe(400)
  })

  test("ends when the reader leaves: nothing goes on running, and both agents are closed", async () => {
    const { models, closed, made } = asking({
      calm: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")))
        }),
    })
    const leaving = new AbortController()
    const body = JSON.stringify({ question: "q", left: { model: "calm" }, right: { model: "wild" }, run: true })
    const url = `http://127.0.0.1:1/${made.token}/api/compare`
    const answer = made.fetch(new Request(url, { method: "POST", body, signal: leaving.signal }))
    await expect.poll(() => models.running).toBe(1)
    leaving.abort()
    await answer
    expect([models.running, closed]).toEqual([0, ["wild", "calm"]])
  })
})
