import { describe, expect, test } from "vitest"
import type { Assembly } from "../../../../src/core/span.ts"
import { fileTools, read, soulPrompt } from "./soul-prompt.ts"

const documents = { soul: read("魂".repeat(2_000)), user: read("人".repeat(2_000)), memory: read("忆".repeat(2_000)) }
const settings = { maxCharacters: 4_000, minShare: 0.1 }
const keys = ["soul", "user_document", "memory_document"] as const

function assembleWithin(budgetTokens?: number): Assembly {
  return soulPrompt(documents, { settings, ...(budgetTokens === undefined ? {} : { budgetTokens }) })
}

/** The number of characters that are shown of each document. */
function left(assembly: Assembly): Record<string, number> {
  const content = assembly.spans.filter(({ part }) => part === "content")
  return Object.fromEntries(
    keys.map((key) => [key, content.filter((span) => span.key === key).reduce((sum, { text }) => sum + text.length, 0)]),
  )
}

const whole = assembleWithin().tokens

describe("under a total budget", () => {
  test("D5 MEMORY gives way first, the others stay whole", () => {
    const assembly = assembleWithin(whole - 1_000)
    expect(left(assembly)).toMatchObject({ soul: 2_000, user_document: 2_000 })
    expect(left(assembly).memory_document).toBeGreaterThan(800)
    expect(assembly.tokens).toBeLessThanOrEqual(whole - 1_000)
  })

  test("D5 then USER, once MEMORY is at its minimum, then SOUL", () => {
    const second = left(assembleWithin(whole - 2_200))
    expect(second.memory_document).toBeGreaterThanOrEqual(399)
    expect(second.memory_document).toBeLessThan(410)
    expect(second.soul).toBe(2_000)
    expect(second.user_document).toBeLessThan(2_000)
    const assembly = assembleWithin(whole - 4_000)
    // Without its tools, the model could not read the rest.
    for (const { name } of fileTools) expect(assembly.messages[0]?.content).toContain(`\n- ${name}：`)
    const third = left(assembly)
    expect(third.user_document).toBeLessThan(410)
    expect(third.soul).toBeLessThan(2_000)
    expect(third.soul).toBeGreaterThan(399)
  })

  test("D5 no document starves another: each keeps its minimum, else the budget is impossible", () => {
    const least = left(assembleWithin(whole - 4_600))
    for (const key of keys) expect(least[key]).toBeGreaterThanOrEqual(399)
    expect(() => assembleWithin(whole - 5_500)).toThrow(expect.objectContaining({ code: "budget" }))
  })

  test("D4 D5 a document that was cut at its limit is cut further around one marker, which tells of the whole text", () => {
    const long = { ...documents, memory: read(`${"头".repeat(4_000)}${"尾".repeat(4_000)}`) }
    const uncut = soulPrompt(long, { settings }).tokens
    for (const short of [1, 20, 60, 100, 1_000, 2_000]) {
      const assembly = soulPrompt(long, { settings, budgetTokens: uncut - short })
      const { content } = assembly.messages[0] ?? { content: "" }
      expect(content.match(/内容被截断/g)).toHaveLength(1)
      const shown = left(assembly).memory_document
      const numbers = /保留了 (\d+) 字符，共 (\d+) 字符/.exec(content)?.slice(1).map(Number)
      expect(numbers).toEqual([shown, 8_000])
      expect(content).not.toMatch(/\\\[/)
    }
  })
})
