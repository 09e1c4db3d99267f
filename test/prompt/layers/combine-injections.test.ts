import { describe, expect, test } from "vitest"
import { Memo } from "../../../src/core/memo.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import { combineInjections } from "../../../src/prompt/layers/combine-injections.ts"
import type { TurnState } from "../../../src/prompt/layers/turn-state.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { turnState } from "../../support/turns.ts"

const dialect = shippedDialect("fay", "en")
const combined = (stack: PromptStack, turn?: TurnState) =>
  combineInjections(stack, turn, { dialect, memo: new Memo() }).injections
const keysOf = (stack: PromptStack, turn = turnState("?")) => combined(stack, turn).map(({ key }) => key)

describe("a stack and a turn together", () => {
  test("are the stack's items by priority, then the turn's own", () => {
    const stack = new PromptStack([
      { key: "late", content: "x", priority: 90 },
      { key: "early", content: "x", priority: 10 },
    ])
    expect(keysOf(stack)).toEqual([
      "early",
      "late",
      ...["question", "history", "memories", "prestart", "tools", "tool_groups", "file_faults", "runs", "steps", "note", "fault"],
    ])
    expect(combined(stack, undefined).map(({ key }) => key)).toEqual(["early", "late"])
  })

  test.each(["question", "wake", "prestart", "tool_groups", "runs", "note", "fault", "file_faults"])(
    "an item of the stack cannot stand where the turn alone speaks: %s",
    (key) => {
      const stack = new PromptStack([{ key, content: "from a hook" }])
      const items = combined(stack, turnState("?")).filter((item) => item.key === key)
      expect(items.filter(({ content, enabled }) => enabled && content === "from a hook")).toEqual([])
      expect(combined(stack, undefined)).toMatchObject([{ key, enabled: true }])
    },
  )

  test("what the turn really has comes last, and an empty one leaves its key to the stack", () => {
    const stack = new PromptStack([{ key: "memories", content: "from a hook" }])
    expect(keysOf(stack).filter((key) => key === "memories")).toHaveLength(1)
    const both = combined(stack, turnState("?", { memories: [{ text: "recalled" }] }))
    expect(both.filter(({ key }) => key === "memories").map(({ content }) => typeof content)).toEqual(["string", "object"])
  })

  test("S13 an item without a rule gives way whole: a turn's before a session's, a session's before the profile's", () => {
    const stack = new PromptStack((["global", "session", "turn"] as const).map((scope) => ({ key: scope, content: "x", scope })))
    const fits = combined(stack, undefined).map(({ key, fit }) => [key, fit?.rank, fit?.shrink])
    expect(fits).toEqual([
      ["global", 80, "drop"],
      ["session", 60, "drop"],
      ["turn", 30, "drop"],
    ])
    const own = new PromptStack([{ key: "mine", content: "x", fit: { rank: 3, shrink: "head" } }])
    expect(combined(own, undefined)[0]?.fit).toEqual({ rank: 3, shrink: "head" })
  })
})
