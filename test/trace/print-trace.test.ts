import { describe, expect, test } from "vitest"
import { displayWidth } from "../../src/core/display-width.ts"
import { PromptStrataError } from "../../src/core/errors.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import { printAssembly } from "../../src/trace/print-assembly.ts"
import { printTrace } from "../../src/trace/print-trace.ts"
import type { TraceStep, TurnTrace } from "../../src/trace/trace.ts"
import { perCodePoint } from "../prompt/assemble/arbitrary-turn.ts"
import { ran, said, turnState } from "../support/turns.ts"

const stack = new PromptStack([
  { key: "persona", content: "你是 Fay。", scope: "global", source: { file: "characters/fay.md", line: 5 } },
  { key: "世界书", content: "很久以前……", trust: "memory", scope: "session", fit: { rank: 1, shrink: "drop" } },
  { key: "doc", content: "x".repeat(400), trust: "tool", fit: { rank: 5, shrink: "headTail" } },
  { key: "final_system", content: "口语", scope: "global" },
])
const turn = turnState("你好", {
  history: [said("user", "早"), said("assistant", "早呀")],
  memories: [{ text: "一段会被丢掉的记忆" }],
})

function assembly(budgetTokens?: number) {
  const options = { dialect: "fay", locale: "zh-CN", turn, counter: perCodePoint }
  return assemble(stack, budgetTokens === undefined ? options : { ...options, budgetTokens })
}

function step(given: Partial<TraceStep> = {}): TraceStep {
  const request = assembly(430)
  return { step: 1, prompt: "planner", model: "scripted", assembly: request, output: "", startedMs: 0, durationMs: 12, ...given }
}

function trace(given: Partial<TurnTrace> = {}): TurnTrace {
  return {
    turnId: "turn_1",
    process: "main-virtual",
    key: { agent: "fay", conversation: "c", audience: "private" },
    startedMs: 0,
    durationMs: 40,
    prestart: [],
    steps: [],
    runs: [],
    warnings: [],
    records: [],
    children: [],
    usage: {},
    ...given,
  }
}

describe("printAssembly", () => {
  test("S11 shows what was kept, shortened, dropped and unplaced, with wide characters aligned", async () => {
    await expect(printAssembly(assembly(430))).toMatchFileSnapshot("__snapshots__/assembly-cut.txt")
    await expect(printAssembly(assembly())).toMatchFileSnapshot("__snapshots__/assembly-whole.txt")
  })

  test("tells what the steps of a cut history leave free, why, and how to fill it", () => {
    const { windowRoom, ...cut } = assembly(430)
    expect(windowRoom).toBeUndefined()
    const room = { budgetTokens: 900, freeTokens: 470, reservedTokens: 0, reason: "history is cut in steps" }
    const last = (windowRoom: typeof room) =>
      printAssembly({ ...cut, windowRoom })
        .split("\n")
        .at(-1)
    const why = 'history is cut in steps; window = "fill" in [history] cuts no more than needed'
    expect(last(room)).toBe(`  · 470 of 900 tokens are free: ${why}`)
    expect(last({ ...room, reservedTokens: 70 })).toBe(
      `  · 470 of 900 tokens are free, 70 of them for what the turn adds: ${why}`,
    )
  })

  test("its columns begin at the same column of a terminal in every row", () => {
    const lines = printAssembly(assembly(430)).split("\n")
    const terminal = (text: string) => [...text].map((c) => (c >= "\u2e80" && c <= "\uffef" ? `${c}\0` : c)).join("")
    const starts = lines
      .filter((line) => !/^ {2}[─!·]/.test(line))
      .map((line) => terminal(line).search(/(?:kept|shortened|fate|placeholder)\b/))
    expect(new Set(starts).size).toBe(1)
  })

  test("what has no place and no reason is told in a line of its own, without a colon", () => {
    const decision = { key: "odd", fate: "unplaced", fromTokens: 1, toTokens: 1, reason: "" } as const
    const lines = printAssembly({ ...assembly(), decisions: [decision, { ...decision, key: "even", reason: "no slot" }] }).split(
      "\n",
    )
    expect(lines).toContain("  · odd is not in it")
    expect(lines).toContain("  · even is not in it: no slot")
  })

  test("an empty request is a table with a header", () => {
    const empty = assemble(new PromptStack(), { dialect: "stack", prompt: "chat", counter: perCodePoint })
    expect(printAssembly(empty)).toBe(
      "  layer  tokens  share  changes  source  fate\n  ── 0 tokens ───────────────────────────────",
    )
  })

  test("the layers' tokens sum to the request's", () => {
    const rows = printAssembly(assembly()).split("\n").slice(1)
    const sum = rows.reduce((all, row) => all + Number(/ (\d+) +\d+ %/.exec(row)?.[1] ?? 0), 0)
    expect(sum).toBe(assembly().tokens)
  })

  test("S15 a line stands where each stable prefix ends, with the tokens of the rows above it", () => {
    const stacked = assemble(stack, { dialect: "layered", locale: "zh-CN", turn, counter: perCodePoint })
    const lines = printAssembly(stacked).split("\n")
    const ends = lines.flatMap((line, at) => (line.includes(" prefix ends: ") ? [at] : []))
    expect(ends.map((at) => /── (.*) prefix ends: \d+ tokens ─/.exec(lines[at] ?? "")?.[1])).toEqual([
      "global, session",
      "conversation",
    ])
    for (const at of ends) {
      const above = lines.slice(0, at).reduce((sum, line) => sum + Number(/ (\d+) +\d+ %/.exec(line)?.[1] ?? 0), 0)
      expect(lines[at]).toContain(`: ${above} tokens`)
    }
  })

  test("fits into 100 columns with long keys, long paths and Chinese, and still tells them apart", () => {
    const long = new PromptStack([
      {
        key: "一个很长很长很长很长的世界书的名字",
        content: "很久以前",
        source: { file: `${"folder/".repeat(20)}world.md`, line: 12 },
      },
      { key: "a_key_of_forty_characters_that_goes_on_and_on", content: "x", fit: { rank: 1, shrink: "drop" } },
    ])
    const printed = printAssembly(assemble(long, { dialect: "fay", locale: "zh-CN", turn, counter: perCodePoint }))
    expect(printed).toContain("一个很长很长很长很…")
    expect(printed).toContain("…older/folder/folder/world.md:12")
    expect(Math.max(...printed.split("\n").map(displayWidth))).toBeLessThanOrEqual(100)
  })

  test("says that a prefix had to move, and why", () => {
    const moved = { ...assembly(), prefixMoved: { key: "history", reason: "the step was 80 tokens over budget" } }
    expect(printAssembly(moved)).toContain("\n  ! prefix-moved: history: the step was 80 tokens over budget")
  })
})

describe("printTrace", () => {
  test("S11 shows a whole turn: prestart, requests, tool runs, repeats, warnings, tokens, the error", async () => {
    const weather = ran("query_weather", { city: "杭州" }, "晴\n21 °C", { durationMs: 3 })
    const whole = trace({
      prestart: [ran("current_time", {}, "09:00", { durationMs: 1 })],
      steps: [
        step({ decision: { action: "tool", tool: "query_weather", args: { city: "杭州" }, status: "complete" } }),
        step({ step: 2, decision: { action: "tool", tool: "query_weather", args: { city: "杭州" }, status: "complete" } }),
        step({
          step: 3,
          prompt: "final",
          decision: { action: "unreadable", status: "malformed", fault: { kind: "not-json", excerpt: "x" } },
        }),
        step({ step: 4, decision: { action: "finish", message: "晴", status: "repaired" } }),
      ],
      runs: [weather, { ...weather, status: "failed", failure: "threw", result: "没有网络", repeatOf: "call_1" }],
      warnings: [{ kind: "recall", message: "No memories in this turn." }],
      usage: { inputTokens: 900, outputTokens: 30 },
      error: new PromptStrataError("model", "the provider failed", { hint: "Try again." }),
    })
    await expect(printTrace(whole)).toMatchFileSnapshot("__snapshots__/trace.txt")
  })

  test("S15 says after each request what changed since the one before, with the characters around it", () => {
    const asked = (text: string) =>
      step({
        step: 2,
        assembly: assemble(stack, { dialect: "layered", turn: { ...turn, question: { ...turn.question, text } } }),
      })
    const printed = printTrace(trace({ steps: [{ ...asked("你好吗"), step: 1 }, asked("你好呀")] }))
    expect(printed).toMatch(
      /\n {2}since step 1: \d+ tokens stand unchanged at the beginning\n {4}question \(turn, layered\/en\/question\.md:2\) changed at message 4, character \d+\n/,
    )
    expect(printed).toContain("⟦吗⟧\n    now:    ")
    expect(printed.match(/since step/g)).toHaveLength(1)
    expect(Math.max(...printed.split("\n").map(displayWidth))).toBeLessThanOrEqual(100)
  })

  test("an estimate says that it is one, and overhead counts", () => {
    const request = { ...assembly(), exact: false, tokens: 10, overheadTokens: 3 }
    expect(printTrace(trace({ steps: [step({ assembly: request })] }))).toContain("about 13 tokens")
    expect(printAssembly(request)).toContain("── about 10 tokens, 3 more around the messages ──")
  })

  test("a call that failed and was made again says why", () => {
    const steps = [step({ error: "scripted answered with status 500:\n\u001b[31mtry later" }), step({ step: 2 })]
    const [failed, again] = printTrace(trace({ steps })).match(/^step .*$/gm) ?? []
    expect(failed).toMatch(/ · 12 ms → failed: scripted answered with status 500: .*try later$/)
    expect(failed).not.toContain("\u001b")
    expect(again).toMatch(/ · 12 ms$/)
  })

  test("what a model or a tool said does nothing to a terminal and stays on its line", () => {
    const evil = "a\u001b[2J\u0007\u202eb\r\nc\u2028d\te"
    const printed = printTrace(
      trace({
        prestart: [ran(evil, { [evil]: evil }, evil)],
        warnings: [{ kind: "tool", message: evil }],
        error: new PromptStrataError("model", evil),
      }),
    )
    expect(printed).not.toMatch(/[\p{Cc}--\n]|[\u202a-\u202e\u2028]/v)
    expect(printed.split("\n")).toHaveLength(6)
    expect(printed).toContain("→ a[2Jb ⏎ c ⏎ d e (0 ms)")
  })

  test("a long result is cut between characters and says so", () => {
    const printed = printTrace(trace({ prestart: [ran("t", {}, `${"x".repeat(199)}👨‍👩‍👧`)] }))
    expect(printed).toContain(`→ ${"x".repeat(199)}… (0 ms)`)
  })
})
