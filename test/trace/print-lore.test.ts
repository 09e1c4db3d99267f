import { expect, test } from "vitest"
import type { Assembly, LoreDecision } from "../../src/core/span.ts"
import { printLore } from "../../src/trace/print-lore.ts"

const printed = (lore: readonly LoreDecision[]) => printLore({ lore, spans: [], decisions: [] } as unknown as Assembly)

test("an entry's name takes at most 36 columns of the table, and its cause stands in words", () => {
  const entry = { book: "b".repeat(30), outcome: "cooldown" } as const
  const lines = printed([
    { ...entry, entry: "four" },
    { ...entry, entry: "four5", key: "tea", where: 0 },
    { ...entry, entry: "x", key: "tea", where: 1 },
    { ...entry, entry: "y", key: "tea", where: 3 },
    { ...entry, entry: "z", key: "tea", where: "lore" },
    { ...entry, entry: "w", always: true },
  ]).split("\n")
  expect(lines.some((line) => line.includes(`${"b".repeat(30)}: four `))).toBe(true)
  expect(lines.some((line) => line.includes(`${"b".repeat(30)}: fou… `))).toBe(true)
  for (const words of ["no key", "always", "in the newest message", "1 message back", "3 messages back", "in other lore"])
    expect(
      lines.filter((line) => line.includes(words)),
      words,
    ).toHaveLength(1)
  expect(printed([])).toBe("No entry of a lorebook was called.")
})
