import { describe, expect, test } from "vitest"
import type { FitRule } from "../../../../src/core/value.ts"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { said, turnState } from "../../../support/turns.ts"
import { perCodePoint } from "../arbitrary-turn.ts"
import { budgetedChat } from "../budgeted-chat.ts"

describe("S13 what gives way", () => {
  test("the persona is cut last, after the items of hooks and sessions, the tools and the history", () => {
    const stack = new PromptStack([
      { key: "persona", content: "p".repeat(100), scope: "global", fit: { rank: 100, shrink: "headTail", minTokens: 1 } },
      { key: "hook", content: "h".repeat(100), scope: "turn" },
      { key: "session", content: "s".repeat(100), scope: "session" },
    ])
    const turn = turnState("?", {
      history: Array.from({ length: 20 }, (_, i) => said(i % 2 === 0 ? "user" : "assistant", `message ${i}`)),
      memories: [{ text: "m".repeat(50) }],
    })
    const fates = (budgetTokens: number) => {
      const { decisions } = assemble(stack, { dialect: "layered", turn, counter: perCodePoint, budgetTokens })
      return Object.fromEntries(decisions.map(({ key, fate }) => [key, fate]))
    }
    const all = { persona: "kept", hook: "kept", session: "kept", question: "kept", history: "kept", memories: "kept" }
    const whole = assemble(stack, { dialect: "layered", turn, counter: perCodePoint }).tokens
    expect(fates(whole)).toEqual(all)
    expect(fates(whole - 1)).toEqual({ ...all, history: "shortened" })
    const gone = { ...all, history: "dropped", memories: "dropped" }
    expect(fates(whole - 280)).toEqual({ ...gone, hook: "dropped" })
    expect(fates(whole - 420)).toEqual({ ...gone, hook: "dropped", session: "dropped" })
    expect(fates(whole - 560)).toEqual({ ...gone, hook: "dropped", session: "dropped", persona: "shortened" })
  })

  test.each<[FitRule["shrink"], string]>([
    ["head", "## a\n0123456789abcdefg\n\n[...cut here: 17 of 100 characters kept...]"],
    ["tail", "## a\n[...cut here: 17 of 100 characters kept...]\n\njklmnopqrstuvwxyz"],
    ["headTail", "## a\n0123456789abcd\n\n[...cut here: 17 of 100 characters kept...]\n\nxyz"],
  ])("%s leaves as much as the budget has room for, around a visible notice", (shrink, content) => {
    const text = `0123456789abcdefg${"-".repeat(66)}jklmnopqrstuvwxyz`
    const { messages, tokens, decisions, cut } = budgetedChat({ a: { text, fit: { rank: 7, shrink } } }, content.length)
    expect(messages).toEqual([{ role: "system", content }])
    expect(tokens).toBe(content.length)
    expect(decisions).toEqual([
      {
        key: "a",
        fate: "shortened",
        fromTokens: 105,
        toTokens: tokens,
        reason: "over budget, and rank 7 is the lowest left",
      },
    ])
    expect(cut).toEqual({ a: { characters: 17 } })
  })

  test("a long history gives way to what is in the request, not to an item that its ceiling takes out", () => {
    const turn = turnState("?", {
      history: Array.from({ length: 8 }, (_, at) => said(at % 2 === 0 ? "user" : "assistant", `${at}: ${"words ".repeat(9)}`)),
    })
    const capped = { key: "capped", content: "c".repeat(150), fit: { rank: 50, shrink: "drop", maxTokens: 30 } } as const
    const at = (items: readonly (typeof capped)[]) =>
      assemble(new PromptStack(items), {
        prompt: "chat",
        turn,
        counter: perCodePoint,
        budgetTokens: 250,
        history: { lowWater: 1 },
      })
    const [without, beside] = [at([]), at([capped])]
    expect(without.cut.history).toEqual({ entries: 3, of: 8 })
    expect(beside.cut).toEqual({ ...without.cut, capped: { dropped: true } })
    expect(beside.messages).toEqual(without.messages)
  })

  test("a history that is a text is shortened like any other, however long it is", () => {
    const history = {
      key: "history",
      content: "They spoke of tea and rain. ".repeat(40),
      fit: { rank: 10, shrink: "tail" },
    } as const
    const { tokens, decisions } = assemble(new PromptStack([history]), { dialect: "fay", prompt: "final", budgetTokens: 150 })
    expect(decisions.map(({ key, fate }) => `${key} ${fate}`)).toEqual(["history shortened"])
    expect(tokens).toBeLessThanOrEqual(150)
  })

  test("the least relevant memories go first, and the notice stands before what is left", () => {
    const turn = turnState("?", {
      memories: ["one", "two", "the third, a long one", "the fourth, a long one"].map((text) => ({ text })),
    })
    const content = "[memory context]\n[...lower-ranked entries left out: 2...]\none\ntwo\n[/memory context]\n\n?"
    const whole = assemble(new PromptStack(), { dialect: "layered", turn, counter: perCodePoint })
    const budgetTokens = (whole.messages[0]?.content.length ?? 0) + content.length
    const tight = assemble(new PromptStack(), { dialect: "layered", turn, counter: perCodePoint, budgetTokens })
    expect(tight.messages.at(-1)?.content).toBe(content)
    expect(tight.cut).toEqual({ memories: { entries: 2, of: 4 } })
    expect(tight.spans.find(({ part }) => part === "notice")).toMatchObject({ key: "memories", trust: "author" })
  })

  test("messages go from the oldest on, the model's before the user's that it answers; the notice stands before what is left, never in the assistant's mouth", () => {
    const history = ["u1", "a1", "u2", "a2", "u3", "a3"].map((text) =>
      said(text[0] === "u" ? "user" : "assistant", text.repeat(30)),
    )
    const messages = (kept: number) =>
      assemble(new PromptStack(), {
        dialect: "stack",
        prompt: "chat",
        turn: turnState("?", { history }),
        counter: perCodePoint,
        cut: { history: { entries: kept, of: 6 } },
      }).messages.map(({ role, content }) => `${role}: ${content.replaceAll(/(..)\1{29}/g, "$1")}`)
    const notice = (count: number) => `[...earlier entries left out: ${count}...]`
    expect(messages(4)).toEqual([`user: ${notice(2)}\n\nu2`, "assistant: a2", "user: u3", "assistant: a3", "user: ?"])
    expect(messages(3)).toEqual([`user: ${notice(3)}\n\nu2`, "user: u3", "assistant: a3", "user: ?"])
    expect(messages(5)).toEqual([`user: ${notice(1)}\n\nu1`, "user: u2", "assistant: a2", "user: u3", "assistant: a3", "user: ?"])
    expect(messages(0)).toEqual([`user: ${notice(6)}\n\n?`])
  })

  test("a cut that saves nothing is not made: the notice would be longer than what it stands for", () => {
    const { messages, cut } = budgetedChat(
      { a: { text: "tiny", fit: { rank: 1, shrink: "head" } }, b: { text: "b", fit: { rank: 2, shrink: "drop" } } },
      9,
    )
    expect(messages).toEqual([{ role: "system", content: "## b\nb" }])
    expect(cut).toEqual({ a: { dropped: true } })
  })

  test("nor is what takes less room than the placeholder in its place", () => {
    const stack = new PromptStack([{ key: "persona", content: "p".repeat(100), fit: { rank: 100, shrink: "headTail" } }])
    const turn = turnState("?", { memories: [{ text: "甲" }] })
    const options = { dialect: "fay", locale: "zh-CN", turn, counter: perCodePoint }
    const { tokens } = assemble(stack, options)
    const { decisions } = assemble(stack, { ...options, budgetTokens: tokens - 20 })
    expect(decisions.map(({ key, fate }) => [key, fate])).toEqual([
      ["persona", "shortened"],
      ["question", "kept"],
      ["memories", "kept"],
    ])
  })

  test("items of one group are dropped together, and none where one of them is reserved", () => {
    const drop = (rank: number, rest: Partial<FitRule> = {}): FitRule => ({ rank, shrink: "drop", group: "g", ...rest })
    const items = (reserved: Partial<FitRule>) => ({
      a: { text: "aaaaaaaaaa", fit: drop(1) },
      b: { text: "bbbbbbbbbb", fit: drop(9, reserved) },
      c: { text: "cccccccccc", fit: { rank: 5, shrink: "drop" } as FitRule },
    })
    const free = budgetedChat(items({}), 45)
    expect(free.decisions.map(({ key, fate, reason }) => [key, fate, reason])).toEqual([
      ["a", "dropped", "over budget, and rank 1 is the lowest left"],
      ["b", "dropped", "dropped with a, of its group"],
      ["c", "kept", ""],
    ])
    expect(budgetedChat(items({ minTokens: 1 }), 45).decisions.map(({ fate }) => fate)).toEqual(["kept", "kept", "dropped"])
  })

  test("what is not in the prompt is not cut and drops nothing of its group: omitted, disabled", () => {
    const stack = new PromptStack([
      { key: "final_system", content: "x".repeat(300), fit: { rank: 0, shrink: "headTail", group: "g" } },
      { key: "member", content: "y".repeat(30), fit: { rank: 90, shrink: "drop", group: "g" } },
      { key: "off", content: "x".repeat(300), enabled: false, fit: { rank: 0, shrink: "drop" } },
      { key: "on", content: "x".repeat(300), fit: { rank: 50, shrink: "drop" } },
    ])
    const { decisions, cut } = assemble(stack, {
      dialect: "layered",
      turn: turnState("?"),
      counter: perCodePoint,
      budgetTokens: 600,
    })
    expect(decisions.map(({ key, fate }) => [key, fate])).toEqual([
      ["final_system", "unplaced"],
      ["member", "kept"],
      ["on", "dropped"],
      ["question", "kept"],
    ])
    expect(cut).toEqual({ on: { dropped: true } })
  })

  test("an impossible budget is an error that names the minimum and the largest items", () => {
    const stack = new PromptStack([{ key: "law", content: "x".repeat(50), fit: { rank: 1, shrink: "headTail", minTokens: 50 } }])
    const make = () =>
      assemble(stack, {
        dialect: "stack",
        prompt: "chat",
        turn: turnState("y".repeat(30), { memories: [{ text: "goes wholly" }] }),
        counter: perCodePoint,
        budgetTokens: 10,
      })
    expect(make).toThrow(
      /expected a prompt of at most 10 tokens; with everything cut that may be cut it still has 87\.\nRaise the budget to 87 or more, not counting what is kept for the answer, or shorten the largest items: law \(57\), question \(30\)\./,
    )
    expect(make).toThrow(
      expect.objectContaining({ code: "budget", evidence: expect.objectContaining({ budgetTokens: 10, minimumTokens: 87 }) }),
    )
  })
})
