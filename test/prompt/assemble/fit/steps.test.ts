import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import type { TurnState } from "../../../../src/prompt/layers/turn-state.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { runs } from "../../../support/size.ts"
import { ran, said, turnState } from "../../../support/turns.ts"
import { anyItems, anyStep, anyTurn, perCodePoint, stackOf, words } from "../arbitrary-turn.ts"

const appending = [
  { dialect: "layered", locale: "en" },
  { dialect: "layered", locale: "zh-CN" },
  { dialect: "stack", locale: "en" },
  { dialect: "stack", locale: "zh-CN" },
  { dialect: "stack-cached", locale: "en" },
  { dialect: "stack-cached", locale: "zh-CN" },
  { dialect: "root", locale: "en" },
  { dialect: "root", locale: "zh-CN" },
] as const

function step(result: string): TurnState["steps"][number] {
  return { type: "run", call: '{"action":"tool"}', run: ran("look_up", {}, result) }
}

describe("in dialects that append, a planner step extends the request before it", () => {
  test("byte for byte, for any stack, turn, runs and faults", () => {
    const steps = fc.array(anyStep, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.constantFrom(...appending), anyItems, anyTurn, steps, (where, items, turn, all) => {
        let before = assemble(stackOf(items), { ...where, turn: { ...turn, steps: [] } }).messages
        for (let count = 1; count <= all.length; count++) {
          // The planner's other words of the turn change too, and must not show.
          const now = {
            ...turn,
            steps: all.slice(0, count),
            runs: all.flatMap((one) => (one.type === "run" ? [one.run] : [])),
            fault: "again",
          }
          const { messages } = assemble(stackOf(items), { ...where, turn: now })
          expect(messages.slice(0, before.length)).toEqual(before)
          before = messages
        }
      }),
      { numRuns: runs(400) },
    )
  })

  test("L1 the system message of layered stays the same over turns whatever their context, and the prefix says so", () => {
    const stack = new PromptStack([
      { key: "persona", content: "You are Fay.", scope: "global" },
      { key: "format", content: "Be brief.", scope: "global" },
    ])
    const tools = turnState("?").tools
    fc.assert(
      fc.property(
        fc.constantFrom("en", "zh-CN"),
        fc.array(anyTurn, { minLength: 2, maxLength: 4 }),
        words,
        (locale, turns, observed) => {
          const assemblies = turns.map((turn, index) => {
            const fork = stack.fork()
            if (index % 2 === 0) fork.add("observed", observed, { trust: "tool" })
            return assemble(fork, { dialect: "layered", locale, turn: { ...turn, tools } })
          })
          const [first] = assemblies
          for (const assembly of assemblies) {
            expect(assembly.messages[0]).toEqual(first?.messages[0])
            expect(assembly.prefixes[0]).toEqual(first?.prefixes[0])
            expect(assembly.prefixes[0]?.end).toBe(assembly.messages[0]?.content.length)
          }
        },
      ),
      { numRuns: runs(200) },
    )
  })
})

describe("what a turn's first step cuts, later steps cut too", () => {
  const history = Array.from({ length: 12 }, (_, i) => said(i % 2 === 0 ? "user" : "assistant", `message ${i} `.repeat(3)))
  const stack = new PromptStack([{ key: "persona", content: "You are Fay.", scope: "global" }])
  const where = { dialect: "layered", counter: perCodePoint } as const
  /** The tokens that the first request needs with nothing cut. */
  const room = assemble(stack, { ...where, turn: turnState("?", { history }) }).tokens

  test("so that the requests still extend each other", () => {
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: room - 300, max: room }),
        (results, budgetTokens) => {
          const turn = turnState("?", { history })
          const first = assemble(stack, { ...where, turn, budgetTokens })
          let before = first.messages
          for (let count = 1; count <= results.length; count++) {
            const now = { ...turn, steps: results.slice(0, count).map(step) }
            const next = assemble(stack, { ...where, turn: now, cut: first.cut })
            expect(next.messages.slice(0, before.length)).toEqual(before)
            expect(next.cut).toEqual(first.cut)
            before = next.messages
          }
        },
      ),
      { numRuns: runs(200) },
    )
  })

  test("a step that still overflows gives up this turn's oldest results first, whole pairs, and keeps the newest", () => {
    const turn = turnState("?", { history })
    const first = assemble(stack, { ...where, turn, budgetTokens: room - 60 })
    const steps = ["old ".repeat(20), "older ".repeat(20), "new"].map(step)
    const budgetTokens = first.tokens + 120
    const next = assemble(stack, { ...where, turn: { ...turn, steps }, budgetTokens, cut: first.cut })
    expect(next.tokens).toBeLessThanOrEqual(budgetTokens)
    expect(first.cut.history).toBeDefined()
    expect(next.cut).toEqual({ ...first.cut, steps: { entries: 2, of: 6 } })
    expect(next.messages.slice(0, first.messages.length)).toEqual(first.messages)
    expect(next.messages.slice(first.messages.length)).toEqual([
      { role: "user", content: "[...earlier entries left out: 4...]" },
      { role: "assistant", content: '{"action":"tool"}' },
      { role: "user", content: "look_up → new" },
    ])
    expect(next.decisions.find(({ key }) => key === "history")).toMatchObject({
      fate: "shortened",
      reason: "cut earlier in this turn",
    })
  })

  test("a result is never left without its call, also where there is room for it alone", () => {
    const call = JSON.stringify({ action: "tool", tool: "look_up", args: { q: "x".repeat(60) } })
    const steps = Array.from({ length: 4 }, () => ({ type: "run" as const, call, run: ran("look_up", {}, "ok") }))
    const turn = turnState("?", { steps })
    const whole = assemble(stack, { ...where, turn }).tokens
    for (let budgetTokens = whole - 1; budgetTokens > whole - 2 * call.length; budgetTokens -= 7) {
      const { messages, cut } = assemble(stack, { ...where, turn, budgetTokens })
      expect(cut.steps).toEqual({ entries: expect.toSatisfy((entries: number) => entries % 2 === 0), of: 8 })
      expect(messages[3]).toEqual({ role: "assistant", content: call })
    }
  })

  test("only then does the prefix move, and the decision says so", () => {
    const turn = turnState("?", { history })
    const first = assemble(stack, { ...where, turn, budgetTokens: room - 60 })
    const steps = [step("x".repeat(100))]
    const next = assemble(stack, { ...where, turn: { ...turn, steps }, budgetTokens: room - 60, cut: first.cut })
    const kept = (cut: unknown) => (cut as { entries: number }).entries
    expect(kept(next.cut.history)).toBeLessThan(kept(first.cut.history))
    expect(next.decisions.find(({ key }) => key === "history")?.reason).toBe("over budget, and rank 10 is the lowest left")
    expect(next.tokens).toBeLessThanOrEqual(room - 60)
  })

  test("a list that has grown since then loses the same entries, and what was dropped stays dropped", () => {
    const turn = turnState("?", { memories: ["a", "b", "c"].map((text) => ({ text })), history })
    const cut = { memories: { entries: 1, of: 3 }, history: { dropped: true } } as const
    const grown = { ...turn, memories: [...turn.memories, { text: "d" }] }
    const { messages, decisions } = assemble(stack, { ...where, turn: grown, cut })
    expect(messages).toHaveLength(2)
    expect(messages[1]?.content).toContain("[...lower-ranked entries left out: 2...]\na\nd\n")
    expect(decisions.map(({ key, fate, reason }) => [key, fate, reason])).toEqual([
      ["persona", "kept", ""],
      ["question", "kept", ""],
      ["history", "dropped", "cut earlier in this turn"],
      ["memories", "shortened", "cut earlier in this turn"],
    ])
  })

  test("the keys of a cut may be any, also those that objects have of their own", () => {
    const items = new PromptStack([{ key: "__proto__", content: "x".repeat(300), fit: { rank: 1, shrink: "headTail" } }])
    const { cut } = assemble(items, { dialect: "stack", prompt: "chat", counter: perCodePoint, budgetTokens: 100 })
    expect(Object.keys(cut)).toEqual(["__proto__"])
    const again = assemble(items, {
      dialect: "stack",
      prompt: "chat",
      counter: perCodePoint,
      cut: JSON.parse(JSON.stringify(cut)),
    })
    expect(again.cut).toEqual(cut)
    expect(again.tokens).toBeLessThanOrEqual(100)
    expect(assemble(items, { dialect: "stack", prompt: "chat", counter: perCodePoint, cut: {} }).tokens).toBeGreaterThan(300)
  })
})
