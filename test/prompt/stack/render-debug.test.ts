import { describe, expect, test } from "vitest"
import type { Assembly, Span } from "../../../src/core/span.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"

const span = (fields: Partial<Span>): Span => ({
  text: "x",
  message: 0,
  key: "a",
  part: "content",
  trust: "author",
  stability: "turn",
  tokens: 1,
  ...fields,
})

describe("renderDebug", () => {
  test("S6 shows every item in render order, disabled ones too, as plain data", () => {
    const stack = new PromptStack()
    stack.add("character.runtime_state", "当前心情: 开心", { priority: 40 })
    stack.add("global.safety", "safe", { priority: 10, scope: "global", role: "developer", enabled: false })
    const debug = stack.renderDebug()
    expect(debug).toEqual([
      { key: "global.safety", content: "safe", priority: 10, role: "developer", scope: "global", enabled: false },
      { key: "character.runtime_state", content: "当前心情: 开心", priority: 40, role: "system", scope: "turn", enabled: true },
    ])
    expect(JSON.parse(JSON.stringify(debug))).toEqual(debug)
  })

  test("S6 shows 200 characters, never half of one, and `...` only where there are more", () => {
    const stack = new PromptStack([
      { key: "exact", content: "😀".repeat(200) },
      { key: "longer", content: `${"😀".repeat(200)}!` },
      { key: "entries", content: [{ text: "a" }, { text: "b" }] },
      { key: "flag", content: true },
    ])
    expect(stack.renderDebug().map((item) => item.content)).toEqual(["😀".repeat(200), `${"😀".repeat(200)}...`, "a\nb", ""])
  })

  test("S6 shows no terminal control that somebody else wrote", () => {
    const stack = new PromptStack([{ key: "page", content: "\u001b[2Jx", trust: "tool" }])
    expect(stack.renderDebug()[0]?.content).toBe("[2Jx")
  })

  test("S6 an assembly adds tokens, source and what became of each item", () => {
    const stack = new PromptStack([
      { key: "a", content: "one", source: { file: "a.md", line: 1 } },
      { key: "b", content: { text: "two", trust: "user", source: { file: "b.md", line: 2 } } },
      { key: "c", content: "three" },
    ])
    const assembly: Assembly = {
      version: 1,
      messages: [],
      spans: [
        span({ part: "frame", tokens: 2 }),
        span({ tokens: 5, source: { file: "a.md", line: 4 } }),
        span({ key: "b", tokens: 7 }),
      ],
      tokens: 14,
      overheadTokens: 0,
      exact: true,
      prefixes: [],
      decisions: [
        { key: "a", fate: "kept", fromTokens: 7, toTokens: 7, reason: "within budget" },
        { key: "c", fate: "dropped", fromTokens: 9, toTokens: 0, reason: "lowest rank" },
      ],
      cut: {},
      sanitised: [],
    }
    expect(stack.renderDebug(assembly)).toEqual([
      expect.objectContaining({ key: "a", tokens: 7, source: { file: "a.md", line: 4 }, fate: "kept", reason: "within budget" }),
      expect.objectContaining({ key: "b", tokens: 7, source: { file: "b.md", line: 2 } }),
      expect.objectContaining({ key: "c", tokens: 0, fate: "dropped", reason: "lowest rank" }),
    ])
    expect(stack.renderDebug()[0]).toMatchObject({ source: { file: "a.md", line: 1 } })
  })
})
