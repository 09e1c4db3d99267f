import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { HistoryMessage, KeptRun } from "../../../src/core/conversation.ts"
import type { Assembly } from "../../../src/core/span.ts"
import {
  fitArguments,
  fitOldRuns,
  fitResult,
  lostBefore,
  oldRunBounds,
  withFittedArguments,
  withOldRunsTold,
} from "../../../src/loop/turn/fit-tool-text.ts"
import type { AgentContext, TurnContext } from "../../../src/loop/turn/turn-context.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import { printArguments } from "../../../src/prompt/tools/call-arguments.ts"
import { runs as numberOfRuns } from "../../support/size.ts"

/** Counts words, so that a test can choose the tokens of a text. */
const counter = { exact: true, count: (text: string) => text.split(/\s+/u).filter((word) => word !== "").length }
const agentOf = (history: object = {}): AgentContext =>
  ({ ports: { counter }, dialect: shippedDialect("layered", "en"), profile: { history } }) as unknown as AgentContext
const turnOf = (budgetTokens: number | undefined, history: readonly HistoryMessage[] = [], settings: object = {}): TurnContext =>
  ({ budgetTokens, agent: agentOf(settings), progress: { shownHistory: history } }) as unknown as TurnContext

const words = (count: number, word = "w"): string => Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ")
const runOf = (id: string, tokens: number): KeptRun => ({ id, step: 0, tool: "t", args: {}, result: words(tokens, `${id}-`) })
const messageOf = (turnId: string, runs?: readonly KeptRun[]): HistoryMessage => ({
  role: "user",
  text: turnId,
  speaker: { id: "ann", name: "Ann" },
  turnId,
  atMs: 0,
  ...(runs && { runs }),
})
const tokensOf = (history: readonly HistoryMessage[]): number =>
  history
    .flatMap(({ runs = [] }) => runs)
    .reduce((sum, { args, result }) => sum + counter.count(printArguments(args)) + counter.count(result), 0)

describe("a result", () => {
  test.each([
    [undefined, 9_000, undefined],
    [400, 100, undefined],
    [400, 101, 101],
    [4_000, 1_000, undefined],
    [4_000, 1_001, 1_001],
    [4_007, 1_001, undefined],
    [80, 100, undefined],
    [80, 101, 101],
  ])("of a budget of %j tokens and %d words is cut to a quarter, but not below 100", (budget, count, cut) => {
    const { result, cappedFromCharacters } = fitResult(turnOf(budget), words(count))
    if (cut === undefined) expect([result, cappedFromCharacters]).toEqual([words(count), undefined])
    else {
      expect(cappedFromCharacters).toBe(words(count).length)
      expect(result).toMatch(/^w0 [\s\S]*long result[\s\S]*w\d+$/u)
      expect(counter.count(result)).toBeLessThanOrEqual(Math.max(100, (budget ?? 0) >> 2))
    }
  })
})

describe("arguments", () => {
  test.each([
    [undefined, 9_000, true],
    [1_600, 198, true],
    [1_600, 199, false],
    [8_007, 998, true],
    [8_007, 999, false],
    [80, 98, true],
  ])("of a budget of %j tokens and %d words are cut to an eighth, but not below 100", (budget, count, isWhole) => {
    const args = { short: "x", number: 7, long: words(count) }
    const turn = turnOf(budget)
    const shown = fitArguments(args, turn)
    const run = { id: "1", tool: "t", args, status: "ok", result: "", durationMs: 0 } as const
    if (isWhole) {
      expect(shown).toBe(args)
      expect(withFittedArguments(run, turn)).toBe(run)
    } else {
      expect(shown).toMatchObject({ short: "x", number: 7, long: expect.stringMatching(/^w0 [\s\S]*cut here/u) })
      expect(withFittedArguments(run, turn)).toEqual({ ...run, args: shown })
      expect(counter.count(printArguments(shown))).toBeLessThanOrEqual(Math.max(100, (budget ?? 0) >> 3))
    }
  })

  test("that are lists and objects are cut as text, and so many that their beginnings are too long are cut as one", () => {
    const list = Array.from({ length: 300 }, (_, at) => `w ${at}`)
    expect(fitArguments({ list }, turnOf(1_600))).toEqual({
      list: expect.stringMatching(/^\["w 0"[\s\S]*cut here[\s\S]*"w 299"\]$/u),
    })
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`a${at}`, words(90)]))
    const shown = fitArguments(many, turnOf(800))
    expect(Object.keys(shown)).toEqual(["args"])
    expect(counter.count(String(shown.args))).toBeLessThanOrEqual(100)
  })
})

describe("the bounds of runs of earlier turns", () => {
  const history = [messageOf("a", [runOf("r", 5)])]
  test.each<[number | undefined, object, readonly number[]]>([
    [1_001, {}, [500, 250, 125]],
    [undefined, {}, [8_000]],
    [undefined, { toolRunTokens: 70 }, [70]],
    [1_000, { toolRunTokens: 300 }, [300, 250, 125]],
    [1_000, { toolRunTokens: 200 }, [200, 125]],
    [1_000, { toolRunTokens: 100 }, [100]],
    [1_000, { toolRunTokens: 0 }, [0]],
  ])("with a budget of %j tokens and %j are %j", (budget, settings, bounds) => {
    expect(oldRunBounds(turnOf(budget, history, settings))).toEqual(bounds)
    expect(oldRunBounds(turnOf(budget, [messageOf("a")], settings))).toEqual([])
  })
})

describe("runs of earlier turns", () => {
  const agent = agentOf()
  const shortened = (history: readonly HistoryMessage[], maxTokens: number, mostTokens = maxTokens) =>
    fitOldRuns(history, { maxTokens, mostTokens, agent })

  test("that have room are the same array", () => {
    const history = [messageOf("a", [runOf("r", 300)]), messageOf("b"), messageOf("c", [runOf("s", 200)])]
    expect(shortened(history, 500)).toBe(history)
    expect(shortened(history, 499)).not.toBe(history)
  })

  test("are shortened from the oldest on, by half of the room at once, and those of the newest turn last", () => {
    const [old, older, newest] = [runOf("old", 400), runOf("older", 400), runOf("new", 400)]
    const history = [messageOf("a", [old]), messageOf("b", [older]), messageOf("c"), messageOf("d", [newest])]
    const [a, b, c, d] = shortened(history, 1_000)
    const [less, lesser] = [a, b].map((message) => tokensOf(message ? [message] : []))
    // 200 tokens are too many, and 500 go at once: 300 of the first run, which then has its least, and 200 of the second.
    expect(less).toBeLessThanOrEqual(100)
    expect(lesser).toBeGreaterThan(180)
    expect(lesser).toBeLessThanOrEqual(200)
    expect([c, d]).toEqual(history.slice(2))
    expect(shortened(history, 1_000)[0]).toBe(a)
    expect(shortened(history, 700, 400)[3]).toBe(history[3])
    expect(tokensOf([shortened(history, 700, 399)[3] ?? messageOf("")])).toBeLessThanOrEqual(300)
  })

  test("however many there are, keep their order, fit, and tell what they lost", () => {
    const run = fc.record({
      result: fc.integer({ min: 1, max: 400 }),
      args: fc.array(fc.nat(300), { maxLength: 4 }),
    })
    const turns = fc.array(fc.array(run, { maxLength: 3 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(turns, fc.integer({ min: 200, max: 1_500 }), fc.boolean(), (sizes, maxTokens, isStrict) => {
        const history = sizes.map((own, turn) =>
          messageOf(
            `t${turn}`,
            own.length === 0
              ? undefined
              : own.map(({ result, args }, at) => ({
                  ...runOf(`${turn}.${at}`, result),
                  args: Object.fromEntries(args.map((tokens, index) => [`a${index}`, words(tokens, '"')])),
                })),
          ),
        )
        const fitted = shortened(history, maxTokens, isStrict ? 0 : maxTokens)
        const [before, after] = [tokensOf(history), tokensOf(fitted)]
        expect(fitted.map(({ turnId }) => turnId)).toEqual(history.map(({ turnId }) => turnId))
        const newest = history.findLast(({ runs }) => runs)?.runs ?? []
        const isNewestWhole = !isStrict && newest.length > 0 && tokensOf([messageOf("", newest)]) <= maxTokens
        if (isNewestWhole) expect(fitted.findLast(({ runs }) => runs)?.runs).toEqual(newest)
        // The runs of the newest turn may stay whole although others had nothing left to give.
        expect(after).toBeLessThanOrEqual(maxTokens)
        const ids = (of: readonly HistoryMessage[]) => of.flatMap(({ runs = [] }) => runs.map(({ id }) => id))
        expect(ids(history).slice(-ids(fitted).length || Number.MAX_SAFE_INTEGER)).toEqual(ids(fitted))
        if (before <= maxTokens) {
          expect(fitted).toBe(history)
          return
        }
        expect(lostBefore.get(fitted)).toEqual({
          tokens: before - after,
          reason: `tool runs of earlier turns had more than ${maxTokens} tokens`,
        })
      }),
      { numRuns: numberOfRuns(300) },
    )
  })

  test("whose calls and results are both long fit beside a newest turn that stays whole", () => {
    const long = (id: string): KeptRun => ({ ...runOf(id, 300), args: { a: words(300, '"') } })
    const old = ["a", "b", "c"].map((id) => messageOf(id, [long(id)]))
    for (let newest = 0; newest < 1_000; newest += 7)
      expect(tokensOf(shortened([...old, messageOf("d", [runOf("new", newest)])], 1_000))).toBeLessThanOrEqual(1_000)
  })

  test("are counted and shortened once, over the turns of a conversation", () => {
    const asked: string[] = []
    const count = (text: string) => {
      asked.push(text)
      return counter.count(text)
    }
    const own: AgentContext = { ...agentOf(), ports: { counter: { ...counter, count } } as never }
    const history = [messageOf("a", [runOf("r", 400)]), messageOf("b", [runOf("s", 400)]), messageOf("c", [runOf("t", 100)])]
    const fitted = (of: readonly HistoryMessage[]) => {
      asked.length = 0
      const made = fitOldRuns(of, { maxTokens: 500, mostTokens: 500, agent: own })
      return [made, asked.filter((text) => text !== "{}" && text !== "").length] as const
    }
    const [first] = fitted(history)
    const [again, work] = fitted(history)
    // Only the calls of what may be shortened are counted again.
    expect(work).toBe(0)
    for (const [at, message] of first.entries()) expect(again[at]).toBe(message)
    const [grown] = fitted([...history, messageOf("d")])
    expect(grown.slice(0, 3)).toEqual(first)
    expect(grown[2]).toBe(history[2])
    // Another agent may count in another way.
    const other = fitOldRuns(history, { maxTokens: 500, mostTokens: 500, agent: { ...own, ports: { counter } as never } })
    expect(other).toEqual(first)
    expect(other[0]?.runs?.[0]).not.toBe(first[0]?.runs?.[0])
  })

  test("that were cut before by something else tell both reasons", () => {
    const history = [messageOf("a", [runOf("r", 300)])]
    lostBefore.set(history, { tokens: 7, reason: "pictures went" })
    const fitted = shortened(history, 200)
    const lost = 300 - tokensOf(fitted)
    expect(lostBefore.get(fitted)).toEqual({
      tokens: lost + 7,
      reason: "pictures went; tool runs of earlier turns had more than 200 tokens",
    })
    const decisions = [
      { key: "history", fate: "kept", fromTokens: 5, toTokens: 5 },
      { key: "history", fate: "shortened", fromTokens: 9, toTokens: 5, reason: "no room" },
      { key: "history", fate: "unplaced", fromTokens: 5, toTokens: 0 },
      { key: "tools", fate: "kept", fromTokens: 5, toTokens: 5 },
    ]
    const told = withOldRunsTold({ decisions } as unknown as Assembly, fitted).decisions as unknown[]
    const reason = lostBefore.get(fitted)?.reason
    expect(told).toEqual([
      { key: "history", fate: "shortened", fromTokens: 12 + lost, toTokens: 5, reason },
      { key: "history", fate: "shortened", fromTokens: 16 + lost, toTokens: 5, reason: `${reason}; then no room` },
      decisions[2],
      decisions[3],
    ])
    const whole = { decisions } as unknown as Assembly
    expect(withOldRunsTold(whole, [messageOf("b")])).toBe(whole)
  })
})
