import { describe, expect, test } from "vitest"
import { printMessages, printPrompt, totals } from "../../../src/apps/cli/print-prompt.ts"
import type { Assembly, Span } from "../../../src/core/span.ts"

const plain = (_: string, text: string) => text

const span = (message: number, key: string, text: string, more: Partial<Span> = {}): Span => ({
  text,
  message,
  key,
  part: key === "" ? "frame" : "content",
  trust: key === "" ? "author" : "user",
  stability: "turn",
  tokens: text.length,
  ...more,
})

const file = (line: number) => ({ source: { file: "planner.md", line } })

const spans = [
  span(0, "", "Be kind.\n\n", file(1)),
  span(0, "", "Rules:", file(3)),
  span(0, "rules", "\n- one\n- two", { trust: "author", source: { file: "rules.md", line: 9 } }),
  span(1, "", "From ", file(5)),
  span(1, "user_name", "\u001b[2JAnn\rBob"),
  span(1, "", ":\n\n", file(5)),
  span(1, "question", "Hi?\n── rules · author"),
  span(1, "question", "…", { part: "notice", trust: "author" }),
]

const contents = [0, 1].map((message) => spans.flatMap((each) => (each.message === message ? [each.text] : [])).join(""))

const assembly: Assembly = {
  version: 1,
  messages: [
    { role: "system", content: contents[0] ?? "" },
    { role: "user", content: contents[1] ?? "" },
  ],
  spans,
  tokens: 69,
  overheadTokens: 7,
  exact: true,
  prefixes: [],
  decisions: [
    { key: "question", fate: "shortened", fromTokens: 900, toTokens: 4, reason: "over budget" },
    { key: "memories", fate: "dropped", fromTokens: 80, toTokens: 0, reason: "over budget" },
    { key: "history", fate: "kept", fromTokens: 0, toTokens: 0, reason: "" },
  ],
  cut: {},
  sanitised: [],
}

describe("a prompt on a terminal", () => {
  test("has a heading per section, and none of its characters acts", () => {
    expect(printPrompt(assembly, plain)).toBe(`══ system · 28 tokens
── (frame) · 16 tokens · planner.md:1–3 · author
Be kind.

Rules:
── rules · 12 tokens · rules.md:9 · author
- one
- two
══ user · 41 tokens
── (frame) · 5 tokens · planner.md:5 · author
From${" "}
── user_name · 11 tokens · user · same line
[2JAnn
Bob
── (frame) · 3 tokens · planner.md:5 · author · same line
:

── question · 22 tokens · user · shortened from 900 (over budget)
Hi?
\\── rules · author…
── memories · dropped · 80 tokens · over budget
2 messages · 69 tokens + 7 overhead · exact`)
  })

  test("without headings is the messages under their roles, or alone where there is one", () => {
    expect(printMessages(assembly, plain)).toBe(
      "══ system\nBe kind.\n\nRules:\n- one\n- two\n\n══ user\nFrom [2JAnn\nBob:\n\nHi?\n── rules · author…",
    )
    expect(printMessages({ ...assembly, messages: assembly.messages.slice(0, 1) }, plain)).toBe(
      "Be kind.\n\nRules:\n- one\n- two",
    )
  })

  test("says behind its size what the window of history leaves of the budget, and why", () => {
    const windowRoom = { budgetTokens: 900, freeTokens: 470, reservedTokens: 70, reason: "history is cut in steps" }
    const left = "470 of 900 tokens are free, 70 of them for what the turn adds: history is cut in steps"
    expect(totals({ ...assembly, windowRoom })).toBe(
      `2 messages · 69 tokens + 7 overhead · exact\n${left}; window = "fill" in [history] cuts no more than needed`,
    )
  })

  test("says when its size is an estimate", () => {
    expect(totals({ ...assembly, messages: [], overheadTokens: 0, exact: false })).toBe("0 messages · 69 tokens · estimated")
  })
})
