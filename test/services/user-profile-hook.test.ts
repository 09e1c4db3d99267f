import { describe, expect, test } from "vitest"
import { shippedDialectNames } from "../../src/dialect/shipped.ts"
import { createInMemoryStore } from "../../src/services/store/in-memory/in-memory-store.ts"
import { testAgent } from "../support/agents.ts"
import { backgroundModel } from "../support/remembering.ts"

const statement = {
  name: "city",
  value: "Hangzhou",
  confidence: 0.8,
  atMs: 1,
  turnId: "t",
  conversation: "test",
  audience: "private",
} as const

describe("what a user said of themselves", () => {
  test.each(shippedDialectNames().flatMap((dialect) => ["en", "zh-CN"].map((locale) => ({ dialect, locale }))))(
    "stands once in the prompt of $dialect ($locale), as memory's words, while the memory is on",
    async ({ dialect, locale }) => {
      const store = createInMemoryStore()
      const { agent, session } = testAgent(backgroundModel(), { dialect, locale }, { store })
      await store.users.append([statement], { turnId: "t", expectVersion: 0, key: { ...session.key, user: "user" } })
      const shown = async (): Promise<string[]> => {
        const { spans } = await session.preview("hello", dialect === "stack" ? { prompt: "chat" } : {})
        return spans.filter(({ text }) => text.includes("city: Hangzhou")).map(({ trust }) => trust)
      }
      expect(await shown()).toEqual(["memory"])
      await session.setMemory(false)
      expect(await shown()).toEqual([])
      await agent.idle()
    },
  )

  test("never outgrows its limit", async () => {
    const store = createInMemoryStore()
    const { session } = testAgent(backgroundModel(), { memory: { profileCharacters: 40 } }, { store })
    const many = Array.from({ length: 30 }, (_, at) => ({ ...statement, name: `field ${at}`, value: `value ${at}` }))
    await store.users.append(many, { turnId: "t", expectVersion: 0, key: { ...session.key, user: "user" } })
    const { spans } = await session.preview("hello")
    const text = spans
      .filter(({ text }) => text.includes("field "))
      .map(({ text }) => text)
      .join("")
    expect(text.length > 0 && text.length <= 40).toBe(true)
  })
})
