import { describe, expect, test } from "vitest"
import type { Assembly } from "../../../src/core/span.ts"
import { type AssembleOptions, assemble } from "../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { perCodePoint } from "../../prompt/assemble/arbitrary-turn.ts"
import { filledStack, filledTurn } from "../../prompt/assemble/filled-turn.ts"
import { said, turnState } from "../../support/turns.ts"

/** The budget that is too small, its whole error, and then what a request keeps at each budget at which it changes. */
function atEveryBudget(stack: PromptStack, options: AssembleOptions, step = 1): string {
  const whole = assemble(stack, options)
  const most = whole.tokens + whole.overheadTokens
  const lines: string[] = []
  let before = ""
  for (let budgetTokens = 1; budgetTokens <= most; budgetTokens += step) {
    const line = keptAt(stack, { ...options, budgetTokens })
    if (line !== before) lines.push(`${budgetTokens}: ${line}`)
    before = line
  }
  return lines.join("\n")
}

function keptAt(stack: PromptStack, options: AssembleOptions): string {
  try {
    const made = assemble(stack, options)
    expect(made.tokens + made.overheadTokens).toBeLessThanOrEqual(options.budgetTokens ?? 0)
    return told(made)
  } catch (error) {
    return String(error).replace(`at most ${options.budgetTokens} tokens`, "at most so many tokens")
  }
}

function told({ tokens, decisions, cut, windowRoom, prefixMoved }: Assembly): string {
  const cuts = decisions.filter(({ fate }) => fate !== "kept" && fate !== "unplaced")
  const fates = cuts.map(({ key, fate, fromTokens, toTokens, reason }) => `${key} ${fate} ${fromTokens}→${toTokens} (${reason})`)
  const rest = { cut, windowRoom, prefixMoved }
  return `${tokens} ${fates.join("; ")} ${JSON.stringify(rest)}`
}

describe("what is cut at every budget", () => {
  test("of a full turn", () => {
    for (const [dialect, prompt] of [
      ["fay", "planner"],
      ["layered", "chat"],
    ] as const) {
      const options = { dialect, prompt, locale: "en", turn: filledTurn("en"), counter: perCodePoint } as const
      expect(atEveryBudget(filledStack("en"), options, 29), dialect).toMatchSnapshot()
    }
  })

  test("of a long history, with every window", () => {
    const history = Array.from({ length: 12 }, (_, at) =>
      said(at % 2 === 0 ? "user" : "assistant", `message ${at} ${"word ".repeat(at % 5)}`),
    )
    const stack = new PromptStack([{ key: "persona", content: "You are Fay.", scope: "global" }])
    const options = {
      dialect: "layered",
      prompt: "chat",
      locale: "en",
      turn: turnState("And now?", { history }),
      counter: perCodePoint,
    } as const
    expect(atEveryBudget(stack, options, 3)).toMatchSnapshot()
  })

  test("of items that shrink in each way, by rank", () => {
    const text = "First line here.\nSecond line, longer than the first.\n\nThird — and last."
    const stack = new PromptStack([
      { key: "persona", content: "You are Fay.", scope: "global" },
      { key: "a_drop", content: text, fit: { rank: 1, shrink: "drop" } },
      { key: "b_head", content: text, fit: { rank: 2, shrink: "headTail" } },
      { key: "c_least", content: text, fit: { rank: 2, shrink: "head", minTokens: 60 } },
      {
        key: "d_entries",
        content: ["one", "two words", "three more words"].map((each) => ({ text: { text: each, trust: "tool" as const } })),
        fit: { rank: 3, shrink: "entries" },
      },
      { key: "e_tail", content: "Only the end of this is kept, as long as there is room.", fit: { rank: 4, shrink: "tail" } },
      {
        key: "f_code",
        content: `\`\`\`ts\nconst a = 1\n${"b()\n".repeat(10)}\`\`\`\nend`,
        trust: "tool",
        fit: { rank: 5, shrink: "headTail" },
      },
    ])
    const options = { dialect: "stack", prompt: "chat", locale: "en", turn: turnState("Hi"), counter: perCodePoint } as const
    expect(atEveryBudget(stack, options)).toMatchSnapshot()
  })
})
