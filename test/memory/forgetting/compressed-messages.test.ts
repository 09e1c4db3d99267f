import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { HistoryMessage } from "../../../src/core/conversation.ts"
import { type CompressedMessage, defaultCompression, showCompressed } from "../../../src/memory/forgetting/compressed-messages.ts"

const settings = { ...defaultCompression, maxCharacters: 10, fullMessages: 2, budgetCharacters: 1_000, targetCharacters: 5 }

function conversation(...answers: readonly number[]): HistoryMessage[] {
  return answers.flatMap((length, at) => {
    const turnId = `t${at}`
    const speaker = { id: "x", name: "x" }
    return [
      { role: "user", text: "u".repeat(50), speaker, turnId, atMs: at },
      { role: "assistant", text: "a".repeat(length), speaker, turnId, atMs: at },
    ] as const
  })
}

const cacheOf = (count: number): CompressedMessage[] =>
  Array.from({ length: count }, (_, at) => ({ turnId: `t${at}`, text: "short", shown: false }))
const shown = (messages: readonly CompressedMessage[]) => messages.filter((message) => message.shown).map(({ turnId }) => turnId)

describe("which answers are shown compressed (R12)", () => {
  test("R12: those over length, once they are old enough; the last ones never", () => {
    expect(shown(showCompressed(conversation(20, 20, 20), cacheOf(3), settings))).toEqual([])
    expect(shown(showCompressed(conversation(20, 20, 20, 20), cacheOf(4), settings))).toEqual(["t0", "t1"])
    expect(shown(showCompressed(conversation(20, 8, 20, 20), cacheOf(4), settings))).toEqual(["t0"])
  })

  test("R12: over budget shorter ones too, the oldest first, until the rest fits", () => {
    const said = conversation(8, 8, 8, 8, 8, 8)
    const total = said.reduce((sum, { text }) => sum + text.length, 0)
    expect(shown(showCompressed(said, cacheOf(6), { ...settings, budgetCharacters: total }))).toEqual([])
    expect(shown(showCompressed(said, cacheOf(6), { ...settings, budgetCharacters: total - 1 }))).toEqual(["t0"])
    expect(shown(showCompressed(said, cacheOf(6), { ...settings, budgetCharacters: total - 6 }))).toEqual(["t0", "t1"])
    expect(shown(showCompressed(said, cacheOf(6), { ...settings, budgetCharacters: 0 }))).toEqual(["t0", "t1", "t2", "t3"])
  })

  test("what has no result yet stays whole, and what would grow does too", () => {
    expect(shown(showCompressed(conversation(20, 20, 20, 20), [], settings))).toEqual([])
    const longer = cacheOf(4).map((message) => ({ ...message, text: "x".repeat(30) }))
    expect(shown(showCompressed(conversation(20, 20, 20, 20), longer, settings))).toEqual([])
  })

  test("over a conversation what was shown compressed stays so, the last ones stay whole, and the beginning moves in steps", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (lengths, fullMessages) => {
          let cached: readonly CompressedMessage[] = []
          let before: readonly string[] = []
          let changes = 0
          for (let turn = 1; turn <= lengths.length; turn++) {
            cached = [...cached, { turnId: `t${turn - 1}`, text: "short", shown: false }]
            cached = showCompressed(conversation(...lengths.slice(0, turn)), cached, { ...settings, fullMessages })
            const after = shown(cached)
            expect(after.slice(0, before.length)).toEqual(before)
            expect(after.every((id) => Number(id.slice(1)) < turn - fullMessages)).toBe(true)
            if (after.length > before.length) changes++
            before = after
          }
          expect(changes).toBeLessThanOrEqual(lengths.length)
        },
      ),
      { numRuns: 50 },
    )
  })

  test("with every answer over length the beginning moves only each time that so many have come", () => {
    let cached: readonly CompressedMessage[] = []
    const moved: number[] = []
    for (let turn = 1; turn <= 20; turn++) {
      const count = shown(cached).length
      cached = [...cached, { turnId: `t${turn - 1}`, text: "short", shown: false }]
      cached = showCompressed(conversation(...Array<number>(turn).fill(20)), cached, { ...settings, fullMessages: 4 })
      if (shown(cached).length > count) moved.push(turn)
    }
    expect(moved).toEqual([8, 12, 16, 20])
  })
})
