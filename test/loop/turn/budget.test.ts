import { afterEach, describe, expect, test } from "vitest"
import type { TokenCounter } from "../../../src/core/ports.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"

afterEach(expectScriptsDone)

/** One token a character, so that numbers can be read. */
const counter: TokenCounter = { exact: true, count: (text) => text.length }

const look = (result: string) => defineTool({ name: "look", description: "", repeatable: true, execute: () => result })

/** So many values that even their beginnings are too long. */
const many = Array.from({ length: 60 }, (_, at): [string, string] => [`k${at}`, "值".repeat(150)])

async function turns(options: {
  readonly tokens: number
  readonly result: string
  readonly steps: number
  readonly before?: number
}) {
  const { tokens, result, steps, before = 0 } = options
  const talk = Array.from({ length: before }, (_, at) => finish(`${at} `.padEnd(200, "答")))
  const last = [...Array.from({ length: steps }, (_, at) => callTool("look", { at })), finish("好。")]
  const model = scriptedModel([...talk, ...last])
  const budget = { tokens, answerTokens: 100, stepTokens: 300 }
  const { session } = testAgent(
    model,
    { dialect: "layered", budget },
    { tools: [look(result)], ports: { counter }, store: createIdleStore() },
  )
  for (let at = 0; at < before; at++) await session.send(`${at} `.padEnd(200, "问")).result
  const outcome = await session.send("最后一问").result
  return { outcome, sizes: model.requests.map(({ messages }) => messages.reduce((sum, { content }) => sum + content.length, 0)) }
}

describe("a turn with a token budget (S13)", () => {
  test("never asks for more than the budget without the answer's share, however much tools return", async () => {
    const { outcome, sizes } = await turns({ tokens: 3_000, result: "结果".repeat(1_000), steps: 6, before: 4 })
    expect(outcome.ok).toBe(true)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2_900)
  })

  test("shows of one result at most a quarter of the request, and says how much was left out", async () => {
    const { outcome } = await turns({ tokens: 3_000, result: "结果".repeat(3_000), steps: 1 })
    const [run] = outcome.trace.runs
    expect(run?.cappedFromCharacters).toBe(6_000)
    expect(run?.result.length).toBeLessThanOrEqual(725)
  })

  test.each(["layered", "fay"])(
    "%s: shows of one call's arguments at most an eighth of the request each time; the tool gets them whole",
    async (dialect) => {
      const given: unknown[] = []
      const note = defineTool({ name: "note", description: "", execute: (args) => void given.push(args) })
      const text = "很长的参数，".repeat(900)
      const args = { id: 7, text, words: Array.from({ length: 2_000 }, (_, at) => `w${at}`), ...Object.fromEntries(many) }
      const model = scriptedModel([callTool("note", { text }), callTool("note", args), finish("好。")])
      const budget = { tokens: 3_000, answerTokens: 100, stepTokens: 300 }
      const { session } = testAgent(model, { dialect, budget }, { tools: [note], ports: { counter } })
      const outcome = await session.send("记一下").result
      expect(outcome.ok).toBe(true)
      expect(given).toEqual([{ text }, args])
      expect(outcome.trace.runs.map((run) => run.args)).toEqual([{ text }, args])
      const contents = model.requests.map(({ messages }) => messages.map(({ content }) => content).join("\n"))
      expect(Math.max(...contents.map(({ length }) => length))).toBeLessThanOrEqual(2_900)
      expect(contents[1]).toContain("共 5400 字符")
      expect(contents[1]).toContain("很长的参数")
      expect(contents[2]).toContain("字符...]")
    },
  )

  test("its first request leaves room for the steps to come, so that they need not cut again", async () => {
    const { outcome, sizes } = await turns({ tokens: 3_000, result: "一条短的结果", steps: 2, before: 8 })
    expect(sizes.at(-3)).toBeLessThanOrEqual(2_600)
    expect(outcome.trace.steps.every(({ assembly }) => assembly.prefixMoved === undefined)).toBe(true)
    const requests = outcome.trace.steps.map(({ assembly }) => assembly.messages)
    expect(requests[1]?.slice(0, requests[0]?.length)).toEqual(requests[0])
    expect(outcome.trace.warnings).toEqual([])
  })

  test("says so when a step has to cut what the first one had decided", async () => {
    const { outcome } = await turns({ tokens: 3_000, result: "结果".repeat(500), steps: 4, before: 5 })
    expect(outcome.ok).toBe(true)
    const moved = outcome.trace.steps.find(({ assembly }) => assembly.prefixMoved)
    expect(moved?.assembly.prefixMoved?.key).toBe("history")
    expect(outcome.trace.warnings.filter(({ kind }) => kind === "budget")).toHaveLength(1)
  })

  test("the system text does not depend on the question's length while history and context can yield; else the trace tells", async () => {
    const tools = ["one", "two", "three", "four", "five"].map((name) =>
      defineTool({ name, description: `does ${name} `.repeat(6), execute: () => "" }),
    )
    const store = createIdleStore()
    const model = scriptedModel(Array.from({ length: 4 }, (_, at) => finish(`${at} `.padEnd(40, "答"))))
    const { session } = testAgent(
      model,
      { dialect: "layered", budget: { tokens: 700, answerTokens: 100, stepTokens: 150 }, memory: { enabled: false } },
      { tools, ports: { counter }, store },
    )
    for (let at = 0; at < 3; at++) await session.send(`${at} `.padEnd(40, "问")).result
    const systems = new Map<boolean, Set<string>>()
    let spent = 0
    for (let length = 1; length < 350; length++) {
      const { messages, decisions, prefixMoved } = await session.preview("问".repeat(length))
      const isSpent = !decisions.some(({ key, fate }) => key === "history" && fate !== "dropped")
      const gaveWay = prefixMoved !== undefined
      if (gaveWay) expect(isSpent, `${length}`).toBe(true)
      else if (isSpent) spent++
      const texts = systems.get(gaveWay) ?? new Set()
      systems.set(gaveWay, texts.add(messages[0]?.content ?? ""))
    }
    expect(spent).toBeGreaterThan(0)
    expect(systems.get(false)?.size).toBe(1)
    expect(systems.get(true)?.size).toBeGreaterThan(1)
    for (const text of systems.get(true) ?? []) expect(systems.get(false)).not.toContain(text)
    const { trace } = await session.send("问".repeat(340)).result
    expect(trace.warnings).toEqual([
      expect.objectContaining({ kind: "budget", message: expect.stringContaining("changed in this turn: tools was cut") }),
    ])
  })
})
