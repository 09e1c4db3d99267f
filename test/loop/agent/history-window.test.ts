import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { HistoryMessage } from "../../../src/core/conversation.ts"
import { historyWindow } from "../../../src/loop/agent/create-turn-context.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { perCodePoint } from "../../prompt/assemble/arbitrary-turn.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { runs, seedOf } from "../../support/size.ts"

const speaker = { id: "u", name: "Ada" }
const said = (tokens: number, at: number): HistoryMessage => ({
  role: "user",
  speaker,
  text: "字".repeat(tokens),
  turnId: `${at}`,
  atMs: at,
})
/** A message's tokens: its words, its speaker's name, and what stands around it. */
const costOf = ({ text }: HistoryMessage) => text.length + 1 + 4

/** The window of a history by its meaning: blank messages are left out first. */
function windowOf(history: readonly HistoryMessage[], contextCount: number, window: "slide" | "steps" | "fill", earlier: number) {
  const spoken = history.filter(({ text }) => text.trim() !== "")
  if (window !== "steps") return spoken.slice(-contextCount)
  const begin = Math.max(0, Math.floor((earlier + spoken.length - contextCount) / contextCount)) * contextCount
  return spoken.slice(Math.max(0, begin - earlier))
}

test.each(["slide", "steps", "fill"] as const)("a window of no messages is empty, by messages and by tokens (%s)", (window) => {
  const history = [said(1, 1), said(2, 2)]
  for (const groupTokens of [undefined, 500])
    expect(historyWindow(history, { contextCount: 0, window, ...(groupTokens && { groupTokens }) })).toEqual([])
})

describe("a window of history by messages", () => {
  test("T30 is that of the history alone, whatever windows were asked for of it before and whatever was taken out of it", () => {
    const edit = fc.record({ at: fc.nat(30), gone: fc.nat(4), added: fc.array(fc.nat(2), { maxLength: 6 }) })
    fc.assert(
      fc.property(
        fc.array(edit, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom("slide", "steps", "fill"),
        fc.nat(20),
        (edits, contextCount, window, earlier) => {
          let history: readonly HistoryMessage[] = []
          for (const [turn, { at, gone, added }] of edits.entries()) {
            const from = Math.min(at, history.length)
            history = history.toSpliced(from, gone, ...added.map((tokens) => said(tokens, turn)))
            const shown = historyWindow(history, { contextCount, window }, earlier)
            expect(shown).toEqual(windowOf(history, contextCount, window, earlier))
          }
        },
      ),
      { numRuns: runs(2_000), seed: seedOf(19) },
    )
  })
})

/** The window by tokens, by trying every beginning: the newest messages that have at most so many tokens, one of them at least. */
function windowByTokens(history: readonly HistoryMessage[], tokens: number, window: "slide" | "steps", earlier: number) {
  const firstWithin = (most: number): number => {
    for (let from = 0; from < history.length; from++)
      if (history.slice(from).reduce((sum, message) => sum + costOf(message), 0) <= most) return from
    return Math.max(0, history.length - 1)
  }
  const [low, high] = [earlier + firstWithin(2 * tokens), earlier + firstWithin(tokens)]
  if (window === "slide") return history.slice(high - earlier)
  // In steps it begins where the highest power of two divides the number of the message, counted from the conversation's beginning.
  const twos = (place: number) => (place === 0 ? 99 : Math.log2(place & -place))
  let best = low
  for (let place = low; place <= high; place++) if (twos(place) > twos(best)) best = place
  return history.slice(best - earlier)
}

describe("a window of history by tokens", () => {
  test("is the one that is found by trying every beginning", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 24 }),
        fc.integer({ min: 1, max: 120 }),
        fc.constantFrom("slide", "steps"),
        fc.nat(40),
        (lengths, groupTokens, window, earlier) => {
          const history = lengths.map(said)
          const shown = historyWindow(history, { contextCount: 5, window, groupTokens }, earlier)
          expect(shown).toEqual(windowByTokens(history, groupTokens, window, earlier))
        },
      ),
      { numRuns: runs(2_000), seed: seedOf(23) },
    )
  })

  test("shows between the number and twice the number of tokens, and always the newest message", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 300 }),
        (sizes, groupTokens) => {
          const history = sizes.map(said)
          const all = history.reduce((sum, message) => sum + costOf(message), 0)
          const tokensOf = (window: "slide" | "steps") => {
            const shown = historyWindow(history, { contextCount: 1, window, groupTokens })
            expect(shown.at(-1)).toBe(history.at(-1))
            return { tokens: shown.reduce((sum, message) => sum + costOf(message), 0), shown }
          }
          const slid = tokensOf("slide")
          const stepped = tokensOf("steps")
          if (slid.shown.length > 1) expect(slid.tokens).toBeLessThanOrEqual(groupTokens)
          if (stepped.shown.length > 1) expect(stepped.tokens).toBeLessThanOrEqual(2 * groupTokens)
          expect(stepped.shown.length).toBeGreaterThanOrEqual(slid.shown.length)
          if (all <= groupTokens) expect(slid.shown).toEqual(history)
        },
      ),
      { numRuns: runs(200), seed: seedOf(18) },
    )
  })

  test("that moves in steps rarely begins elsewhere, wherever the stored history begins", () => {
    const history = Array.from({ length: 1_000 }, (_, at) => said(15, at))
    const settings = { contextCount: 1, window: "steps", groupTokens: 1_000 } as const
    const begins = new Set<string | undefined>()
    for (let length = 1; length <= history.length; length++) {
      const [first] = historyWindow(history.slice(0, length), settings)
      begins.add(first?.turnId)
      if (length > 420) expect(historyWindow(history.slice(300, length), settings, 300)[0]?.turnId).toBe(first?.turnId)
    }
    // A window has 50 to 100 messages here, so that it moves every 32 to 64 of them.
    expect(begins.size).toBeLessThanOrEqual(1_000 / 32)
  })

  test.each([
    ["group", 60],
    ["private", 1],
  ] as const)("counts in a %s conversation", async (audience, count) => {
    const model = scriptedModel([finish("Yes.")])
    const history = { contextCount: 1, window: "slide", groupTokens: 5_000 } as const
    const { agent } = testAgent(model, { locale: "en", dialect: "layered", history })
    const session = agent.session({ conversation: "c", audience })
    for (let at = 0; at < 60; at++) await session.hear(`words ${at}.`, { from: speaker })
    await session.send("Well?", { from: speaker }).result
    const text = model.requests[0]?.messages.map(({ content }) => content).join("\n") ?? ""
    expect(text.match(/words \d+\./g)).toHaveLength(count)
  })
})

test('S16 window = "fill" cuts no more than the budget must, and "steps" cuts more at once', async () => {
  const told = Array.from({ length: 30 }, (_, at) => `第${at}句${"话".repeat(60)}`)
  const shares = { steps: [] as number[], fill: [] as number[] }
  for (const window of ["steps", "fill"] as const) {
    const model = scriptedModel(told.map(() => finish("嗯")))
    const tokens = 2_000
    const budget = { tokens, answerTokens: 0, stepTokens: 0 }
    const { session } = testAgent(model, { history: { window, contextCount: 100 }, budget }, { ports: { counter: perCodePoint } })
    for (const text of told) {
      const { trace } = await session.send(text).result
      const assembly = trace.steps[0]?.assembly
      if (assembly?.cut.history === undefined) continue
      shares[window].push((assembly.tokens + assembly.overheadTokens) / tokens)
    }
  }
  expect(Math.min(...shares.fill)).toBeGreaterThanOrEqual(0.95)
  expect(Math.min(...shares.steps)).toBeLessThan(0.9)
})
