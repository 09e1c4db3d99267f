import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { roughCounter } from "../../../../src/core/ports.ts"
import type { Assembly } from "../../../../src/core/span.ts"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { runs } from "../../../support/size.ts"
import { turnState } from "../../../support/turns.ts"
import { anyItems, anyTurn, perCodePoint, perRun, stackOf, turnPrompts } from "../arbitrary-turn.ts"

const persona = { file: "characters/fay.md", line: 1 }

describe("S12 spans", () => {
  test("tile each message exactly, and their tokens sum to it, in every shipped prompt and with every counter", () => {
    fc.assert(
      fc.property(fc.constantFrom(...turnPrompts), anyItems, anyTurn, fc.boolean(), (where, items, turn, developer) => {
        for (const counter of [perCodePoint, perRun, roughCounter]) {
          const assembly = assemble(stackOf(items), { ...where, turn, counter, roles: { developer } })
          expectTiled(assembly)
          for (const [index, { content }] of assembly.messages.entries())
            expect(tokensOf(assembly, index)).toBe(counter.count(content))
          expect(assembly.tokens).toBe(assembly.spans.reduce((sum, { tokens }) => sum + tokens, 0))
        }
      }),
      { numRuns: runs(600) },
    )
  })

  test("no span is empty, has no origin or is negative, and the assembly is plain JSON", () => {
    fc.assert(
      fc.property(fc.constantFrom(...turnPrompts), anyItems, anyTurn, (where, items, turn) => {
        const assembly = assemble(stackOf(items), { ...where, turn, counter: perRun })
        for (const span of assembly.spans) {
          expect(span.text).not.toBe("")
          expect(span.tokens).toBeGreaterThanOrEqual(0)
          expect(Number.isInteger(span.tokens)).toBe(true)
          // Only an item of the rest slot that code added comes from no file.
          if (span.part !== "content" || span.source) expect(span.source?.file).toMatch(/\.md$/)
          if (span.part !== "content") expect(span.trust).toBe("author")
        }
        expect(JSON.parse(JSON.stringify(assembly))).toEqual(assembly)
      }),
      { numRuns: runs(300) },
    )
  })

  test("S12 an item of the rest slot has its own source, not that of the file that prints all of them, in heading and text", () => {
    const own = { file: "notes.md", line: 7 }
    const stack = new PromptStack([
      { key: "added", content: "It rains." },
      { key: "item", content: "It snows.", source: own },
      { key: "text", content: { text: "It pours.", trust: "author", source: own } },
      { key: "long", content: "word ".repeat(400), fit: { rank: 1, shrink: "headTail" } },
    ])
    for (const dialect of ["stack", "stack-cached", "fay", "layered", "soul"]) {
      const assembly = assemble(stack, { dialect, turn: turnState("?"), counter: perRun, budgetTokens: 1_000 })
      const sources = (key: string) =>
        new Set(assembly.spans.filter((span) => span.key === key && span.part === "content").map(({ source }) => source?.file))
      expect([sources("added"), sources("item"), sources("text"), sources("long")]).toEqual(
        [undefined, "notes.md", "notes.md", undefined].map((file) => new Set([file])),
      )
      expect(stack.renderDebug(assembly).map(({ source }) => source)).toEqual([undefined, own, own, undefined])
    }
  })

  test("say of fay's planner which text is whose and where it comes from", () => {
    const stack = new PromptStack([{ key: "persona", content: "你是一个名叫Fay…", scope: "global", source: persona }])
    const { spans } = assemble(stack, { dialect: "fay", locale: "zh-CN", turn: turnState("今天天气怎么样？") })
    const rows = spans
      .filter(({ message }) => message === 1)
      .map((span) => [span.text, span.key, span.part, span.trust, span.stability, placeOf(span)])
    expect(rows.slice(0, 7)).toEqual([
      ["**提问内容**", "", "frame", "author", "global", "fay/zh-CN/planner.md:7"],
      ["\n", "question", "frame", "author", "turn", "fay/zh-CN/planner.md:7"],
      ["主人", "question", "content", "user", "turn", "fay/zh-CN/question.md:1"],
      ["：", "question", "frame", "author", "turn", "fay/zh-CN/question.md:1"],
      ["\n", "question", "frame", "author", "turn", "fay/zh-CN/question.md:1"],
      ["```\n", "question", "frame", "author", "turn", "fay/zh-CN/question.md:2"],
      ["今天天气怎么样？", "question", "content", "user", "turn", "fay/zh-CN/question.md:2"],
    ])
    const row = (text: string) => rows.find(([shown]) => shown === text)
    expect(row("你是一个名叫Fay…")).toEqual(["你是一个名叫Fay…", "persona", "content", "author", "global", "characters/fay.md:1"])
    // Nobody knows whether something comes next turn, so a placeholder is as unstable as what it stands for.
    expect(rows.find(([text]) => String(text).includes("（无补充）"))?.slice(1, 5)).toEqual(["rest", "frame", "author", "turn"])
  })

  test("name the file and line of every part of a prompt", () => {
    const stack = new PromptStack([{ key: "persona", content: "\n\nYou are Fay.", scope: "global", source: persona }])
    const { spans } = assemble(stack, { dialect: "layered", turn: turnState("Hi", { memories: [{ text: "m" }] }) })
    const places = spans.map((span) => [span.text.trim().split("\n")[0], placeOf(span)])
    expect(places.filter(([text]) => text !== "")).toEqual([
      ["You are Fay.", "characters/fay.md:3"],
      ["Reply with exactly one JSON object and no text around it:", "layered/en/planner.md:21"],
      ["- to call a tool:", "layered/en/planner.md:21"],
      ['{"action": "tool", "tool": "tool name", "args": {...}}', "layered/en/planner.md:21"],
      ["- to answer the user, with what you want to say in message:", "layered/en/planner.md:21"],
      ['{"action": "finish", "message": "..."}', "layered/en/planner.md:21"],
      ["A tool's result arrives in the next message; once you know enough, answer with finish.", "layered/en/planner.md:27"],
      ["[memory context]", "layered/en/planner.md:31"],
      ["m", "layered/en/memories.md:2"],
      ["[/memory context]", "layered/en/planner.md:33"],
      ["Hi", "layered/en/question.md:2"],
    ])
  })

  test("overhead is counted beside the messages, and an estimate says that it is one", () => {
    const counter = { ...perCodePoint, exact: false, overhead: (messages: readonly unknown[]) => 3 * messages.length }
    const assembly = assemble(new PromptStack(), { dialect: "stack", prompt: "chat", turn: turnState("Hi"), counter })
    expect(assembly).toMatchObject({ tokens: 2, overheadTokens: 3, exact: false })
  })
})

function expectTiled({ messages, spans }: Assembly): void {
  const written = messages.map(() => "")
  let last = 0
  for (const span of spans) {
    expect(span.message).toBeGreaterThanOrEqual(last)
    last = span.message
    written[span.message] += span.text
  }
  expect(written).toEqual(messages.map(({ content }) => content))
}

function tokensOf({ spans }: Assembly, message: number): number {
  return spans.reduce((sum, span) => (span.message === message ? sum + span.tokens : sum), 0)
}

function placeOf({ source }: Assembly["spans"][number]): string {
  return source ? `${source.file}:${source.line}` : ""
}
