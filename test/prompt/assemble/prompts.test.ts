import { describe, expect, test } from "vitest"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { promptGolden } from "../../support/prompt-golden.ts"
import { turnState } from "../../support/turns.ts"
import { filledStack, filledTurn, type Locale } from "./filled-turn.ts"

const prompts = [
  ["fay", "planner"],
  ["fay", "final"],
  ["layered", "planner"],
  ["layered", "final"],
  ["stack", "planner"],
  ["stack", "final"],
  ["stack", "chat"],
  ["stack-cached", "planner"],
  ["soul", "planner"],
] as const
const locales: readonly Locale[] = ["zh-CN", "en"]
const cases = prompts.flatMap(([dialect, prompt]) => locales.map((locale) => ({ dialect, prompt, locale })))

describe("the shipped prompts read as these files", () => {
  test.each(cases)("T1 T4 $dialect/$locale/$prompt with everything in it", async ({ dialect, prompt, locale }) => {
    const assembly = assemble(filledStack(locale), {
      dialect,
      prompt,
      locale,
      turn: filledTurn(locale, { group: dialect !== "fay", timeZone: "UTC" }),
    })
    await expect(promptGolden(assembly)).toMatchFileSnapshot(`__snapshots__/${dialect}-${prompt}-full.${locale}.md`)
  })

  test.each(cases)("T7 $dialect/$locale/$prompt with a question only", async ({ dialect, prompt, locale }) => {
    const question = locale === "en" ? "Hello" : "你好"
    const assembly = assemble(new PromptStack(), { dialect, prompt, locale, turn: turnState(question) })
    await expect(promptGolden(assembly)).toMatchFileSnapshot(`__snapshots__/${dialect}-${prompt}-empty.${locale}.md`)
  })
})
