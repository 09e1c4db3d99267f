import { describe, expect, test } from "vitest"
import { assistantChats } from "./assistant-chats.ts"
import { halfOf, type RecallChat } from "./recall-chat.ts"
import { recallSets } from "./recall-sets.ts"

const halves = [...recallSets("development")].map(([name, chats]) => ({
  name,
  chats,
  others: recallSets("held-out").get(name) ?? [],
}))
const questionsOf = (chats: readonly RecallChat[]) => chats.flatMap(({ questions }) => questions)

describe.each(halves)("the set $name", ({ chats, others }) => {
  test("has chats in both halves, and every chat in one of them", () => {
    expect(chats.length).toBeGreaterThanOrEqual(3)
    expect(others.length).toBeGreaterThanOrEqual(3)
    expect(new Set([...chats, ...others].map(({ id }) => id)).size).toBe(chats.length + others.length)
  })

  test("names evidence that stands in its chat, but for questions that nothing answers", () => {
    for (const { lines, questions } of [...chats, ...others]) {
      const known = new Set(lines.map(({ id }) => id))
      expect(known.size).toBe(lines.length)
      const unknown = questions.filter(
        ({ kind, evidence }) => (kind === "never") !== (evidence.length === 0) || !evidence.flat().every((id) => known.has(id)),
      )
      // One probing question of MemoryBank asks for a day that only the Chinese file has.
      expect(unknown.length).toBeLessThanOrEqual(chats[0]?.id.startsWith("memorybank") ? 1 : 0)
    }
  })
})

describe("chats with an assistant", () => {
  const chats = [...assistantChats("en"), ...assistantChats("zh")]
  const replies = chats.flatMap(({ lines }) => lines.filter(({ speaker }) => speaker.id === "bot"))

  test("are at least twenty with three hundred questions of all kinds", () => {
    expect(chats.length).toBeGreaterThanOrEqual(20)
    expect(questionsOf(chats).length).toBeGreaterThanOrEqual(300)
    const kinds = Map.groupBy(questionsOf(chats), ({ kind }) => kind)
    expect([...kinds.keys()].sort()).toEqual(["changed", "how many", "never", "when", "which", "who"])
    for (const asked of kinds.values()) expect(asked.length).toBeGreaterThanOrEqual(30)
  })

  test("have long answers with lists and code, each one another", () => {
    const lengths = replies.map(({ text }) => text.length).sort((a, b) => a - b)
    expect(lengths[0]).toBeGreaterThanOrEqual(500)
    expect(lengths.at(-1)).toBeLessThanOrEqual(5_500)
    expect(new Set(replies.map(({ text }) => text)).size).toBe(replies.length)
    expect(replies.filter(({ text }) => text.includes("```")).length).toBeGreaterThan(20)
    expect(replies.filter(({ text }) => text.includes("\n1. ")).length).toBeGreaterThan(replies.length * 0.9)
  })

  test("are the same each time", () => {
    expect(assistantChats("zh")).toEqual(chats.slice(12))
    expect(chats.map(({ id }) => halfOf(id)).filter((half) => half === "development")).toHaveLength(14)
  })
})
