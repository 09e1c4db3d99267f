import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Memo } from "../../../../src/core/memo.ts"
import type { Assembly } from "../../../../src/core/span.ts"
import type { Injection } from "../../../../src/core/value.ts"
import { type AssembleOptions, assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { historySteps } from "../../../../src/prompt/assemble/fit/water-marks.ts"
import { messageCounter } from "../../../../src/prompt/assemble/tokens/message-counter.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { runs } from "../../../support/size.ts"
import { ran, said, turnState } from "../../../support/turns.ts"
import { perCodePoint } from "../arbitrary-turn.ts"

const words = (length: number, index: number) => `${index}:`.padEnd(length, "x")
const stack = new PromptStack([{ key: "persona", content: "p".repeat(100), scope: "global" }])
const chat = (lengths: readonly number[]) =>
  lengths.map((length, index) => said(index % 2 === 0 ? "user" : "assistant", words(length, index)))

/** The request of one turn: two messages of the talk stand before each. */
const requestOf = (turn: number, lengths: readonly number[], options: Partial<AssembleOptions>, recalled = 0): Assembly =>
  assemble(stack, {
    dialect: "layered",
    prompt: "chat",
    counter: perCodePoint,
    turn: turnState("?", {
      history: chat(lengths.slice(0, turn * 2)),
      memories: recalled > 0 ? [{ text: "m".repeat(recalled) }] : [],
    }),
    ...options,
  })

const turns = (lengths: readonly number[], options: Partial<AssembleOptions>, memories = (_turn: number) => 0): Assembly[] =>
  Array.from({ length: Math.floor(lengths.length / 2) }, (_, turn) => requestOf(turn, lengths, options, memories(turn)))

/** The first line of a request's history. */
const beginning = ({ messages }: Assembly) => /^\d+:/m.exec(messages[1]?.content ?? "")?.[0]

describe("S16 history gives way in steps", () => {
  const lengths = Array.from({ length: 120 }, (_, index) => 20 + ((index * 37) % 40))

  test("so that its beginning stays where it is over many turns, and moves forward only", () => {
    const begins = turns(lengths, { budgetTokens: 1200 }).map(beginning)
    const moves = begins.filter((begin, index) => begin !== begins[index - 1]).length
    expect(moves).toBeLessThanOrEqual(Math.ceil((lengths.length * 40) / (1100 * 0.5)) + 1)
    const numbers = begins.map((begin) => Number.parseInt(begin ?? "0", 10))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  })

  test("by the message where there is room for no more than one token", () => {
    const entries = ["a", "b", "c"].map((text) => ({ text }))
    const injection = { key: "history", content: entries, fit: { rank: 1, shrink: "entries" } } as unknown as Injection
    const { units } = historySteps(
      injection,
      { lowWater: 0 },
      { room: 1, counter: messageCounter(perCodePoint), memo: new Memo() },
    )
    expect(units).toEqual([1, 2, 3])
  })

  test("a lower mark cuts more at once and so less often", () => {
    const moves = (lowWater: number) => {
      const begins = turns(lengths, { budgetTokens: 1200, history: { lowWater } }).map(beginning)
      return begins.filter((begin, index) => begin !== begins[index - 1]).length
    }
    expect(moves(0.25)).toBeLessThan(moves(0.75))
  })

  test("with tokens kept free, what a turn recalls moves nothing as long as it has room there", () => {
    const recalled = (turn: number) => [0, 10, 60, 25][turn % 4] ?? 0
    const options = { budgetTokens: 1200, history: { reserveTokens: 150 } }
    const begins = turns(lengths, options, recalled).map(beginning)
    expect(begins).toEqual(turns(lengths, options, () => 40).map(beginning))
  })

  test("and each request says how many tokens of the budget that leaves free, and how many of them are kept for the turn", () => {
    const options = { budgetTokens: 1200, history: { reserveTokens: 150 } }
    for (const { cut, tokens, overheadTokens, windowRoom } of turns(lengths, options)) {
      const freeTokens = 1200 - tokens - overheadTokens
      if (cut.history === undefined || freeTokens === 0) expect(windowRoom).toBeUndefined()
      else expect(windowRoom).toMatchObject({ budgetTokens: 1200, freeTokens })
    }
    const cut = turns(lengths, options).at(-1)
    const ofTurn = (cut?.spans ?? []).reduce((sum, { stability, tokens }) => (stability === "turn" ? sum + tokens : sum), 0)
    expect(cut?.windowRoom?.reservedTokens).toBe(Math.min(cut?.windowRoom?.freeTokens ?? 0, 150 - ofTurn))
    expect(cut?.windowRoom?.reason).toContain("provider's cache")
    const filled = turns(lengths, { budgetTokens: 1200, history: { lowWater: 1 } })
    expect(filled.flatMap(({ windowRoom }) => windowRoom ?? [])).toEqual([])
    expect(turns(lengths, {}).flatMap(({ windowRoom }) => windowRoom ?? [])).toEqual([])
  })

  test("never leaves a request over budget, and leaves history whole where it fits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 3, max: 80 }), { maxLength: 30 }),
        fc.integer({ min: 150, max: 900 }),
        (some, budgetTokens) => {
          const whole = turns(some, {})
          for (const [turn, assembly] of turns(some, { budgetTokens }).entries()) {
            expect(assembly.tokens).toBeLessThanOrEqual(budgetTokens)
            if ((whole[turn]?.tokens ?? 0) <= budgetTokens) expect(assembly.messages).toEqual(whole[turn]?.messages)
          }
        },
      ),
      { numRuns: runs(200) },
    )
  })

  test("a user's message outlives the model's answer to it, also where a step ends between them", () => {
    for (let budgetTokens = 200; budgetTokens < 1500; budgetTokens += 13) {
      const { messages } = requestOf(29, lengths, { budgetTokens })
      const kept = new Set(
        messages.slice(1).flatMap(({ content }) => [...content.matchAll(/^(\d+):/gm)].map(([, at]) => Number(at))),
      )
      for (const at of kept) if (at % 2 === 1) expect(kept).toContain(at - 1)
    }
  })
})

describe("S13 layers 1 to 4 are fitted once", () => {
  test("whatever a turn brings, history and its own items give way before anything of the profile and the session", () => {
    const full = new PromptStack([
      { key: "persona", content: "p".repeat(100), scope: "global" },
      { key: "format", content: "f".repeat(100), scope: "global" },
      { key: "skill", content: "s".repeat(100), scope: "session" },
      { key: "hook", content: "h".repeat(60), scope: "turn" },
    ])
    const turn = turnState("?", {
      history: chat([50, 50, 50, 50]),
      memories: [{ text: "m".repeat(60) }],
      prestart: [{ tool: "t", args: {}, result: "r".repeat(60) }],
      runs: [ran("t", {}, "x".repeat(60))],
      steps: [
        { type: "run", call: "c".repeat(40), run: ran("t", {}, "x".repeat(60)) },
        { type: "run", call: "c".repeat(40), run: ran("t", {}, "y".repeat(60)) },
      ],
    })
    const order: string[] = []
    const { tokens } = assemble(full, { dialect: "layered", counter: perCodePoint, turn })
    for (let budgetTokens = tokens; budgetTokens > 100; budgetTokens -= 10) {
      try {
        const { decisions } = assemble(full, { dialect: "layered", counter: perCodePoint, turn, budgetTokens })
        for (const { key, fate } of decisions)
          if ((fate === "dropped" || fate === "shortened") && !order.includes(key)) order.push(key)
      } catch {
        break
      }
    }
    expect(order.slice(0, 4)).toEqual(["steps", "history", "memories", "hook"])
    expect(order.indexOf("skill")).toBeLessThan(order.indexOf("persona"))
  })
})

describe("a prefix that moved", () => {
  const history = chat(Array.from({ length: 20 }, () => 40))
  const where = { dialect: "layered", counter: perCodePoint } as const
  const result = (text: string) => ({ type: "run" as const, call: "{}", run: ran("look_up", {}, text) })

  test("is named with its reason when a later step has to cut what the first one kept", () => {
    const turn = turnState("?", { history })
    const budgetTokens = assemble(stack, { ...where, turn }).tokens
    const first = assemble(stack, { ...where, turn, budgetTokens })
    expect(first.cut).toEqual({})
    expect(first.prefixMoved).toBeUndefined()
    const steps = [result("x".repeat(100))]
    const next = assemble(stack, { ...where, turn: { ...turn, steps }, budgetTokens, cut: first.cut })
    expect(next.prefixMoved).toEqual({ key: "history", reason: "over budget, and rank 10 is the lowest left" })
    const last = assemble(stack, { ...where, turn: { ...turn, steps }, budgetTokens, cut: next.cut })
    expect(last.prefixMoved).toBeUndefined()
    expect(last.messages).toEqual(next.messages)
  })

  test("is not named for a turn's own old results, nor for a first step", () => {
    const turn = turnState("?", { history })
    const first = assemble(stack, { ...where, turn, budgetTokens: 700 })
    expect(first.cut.history).toBeDefined()
    expect(first.prefixMoved).toBeUndefined()
    const steps = ["old ".repeat(20), "new"].map(result)
    const next = assemble(stack, { ...where, turn: { ...turn, steps }, budgetTokens: first.tokens + 70, cut: first.cut })
    expect(next.cut.steps).toBeDefined()
    expect(next.prefixMoved).toBeUndefined()
  })
})

describe("S13 entries with scores", () => {
  const texts = ["aa", "bb", "cc", "dd", "ee"].map((text) => text.repeat(30))
  const scored = (scores: readonly number[] | undefined, budgetTokens?: number) => {
    const items = new PromptStack([
      {
        key: "memories",
        content: texts.map((text) => ({ text })),
        trust: "memory",
        fit: { rank: 1, shrink: "entries", ...(scores ? { scores } : {}) },
      },
    ])
    return assemble(items, {
      dialect: "layered",
      prompt: "chat",
      counter: perCodePoint,
      ...(budgetTokens ? { budgetTokens } : {}),
    })
  }
  const kept = (assembly: Assembly) =>
    texts.map((text, at) => (assembly.messages[0]?.content.includes(text) ? at : -1)).filter((at) => at >= 0)

  test("lose the lowest first, equal ones oldest first, and keep their order", () => {
    const { tokens } = scored(undefined)
    expect(kept(scored([3, 1, 2, 1, 5], tokens - 1))).toEqual([0, 2, 3, 4])
    expect(kept(scored([3, 1, 2, 1, 5], tokens - 60))).toEqual([0, 2, 4])
    expect(kept(scored([3, 1, 2, 1, 5], tokens - 120))).toEqual([0, 4])
    expect(kept(scored(undefined, tokens - 120))).toEqual([3, 4])
  })

  test("the notice in their place does not call them earlier ones", () => {
    const { tokens } = scored(undefined)
    const [byScore] = scored([3, 1, 2, 1, 5], tokens - 120).messages
    expect(byScore?.content).toContain("[...lower-ranked entries left out: 3...]")
    expect(scored(undefined, tokens - 120).messages[0]?.content).toContain("[...earlier entries left out: 3...]")
  })

  test("a score stays with its entry where a blank one before it is left out", () => {
    const items = new PromptStack([
      {
        key: "memories",
        content: [{ text: "\u202e" }, ...texts.map((text) => ({ text }))],
        trust: "memory",
        fit: { rank: 1, shrink: "entries", scores: [9, 3, 1, 2, 1, 5] },
      },
    ])
    const { tokens } = scored(undefined)
    expect(
      kept(assemble(items, { dialect: "layered", prompt: "chat", counter: perCodePoint, budgetTokens: tokens - 60 })),
    ).toEqual([0, 2, 4])
  })
})
