import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import type { RecallWeights } from "../../../../src/memory/services/recall/recall-weights.ts"
import { type LongConversation, longConversation } from "../../../support/long-conversations.ts"
import { indexOf } from "./documents.ts"

const conversations = Array.from({ length: 3 }, (_, i) => longConversation(mulberry32(5_000 + i), "held-out"))

function recallAt(limit: number, weights: Partial<RecallWeights> = {}): number {
  const shares = conversations.flatMap(({ lines, questions, nowMs }: LongConversation) => {
    const index = indexOf(lines)
    return questions.map(({ text, evidence }) => {
      const found = new Set(index.rank({ text, nowMs, limit, weights }).map(({ id }) => id))
      return evidence.filter((id) => found.has(id)).length / evidence.length
    })
  })
  return (100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length
}

describe("recall on long made-up conversations with labelled evidence", () => {
  test("finds most of it among ten lines of about four hundred", () => {
    expect(recallAt(10)).toBeGreaterThan(75)
    expect(recallAt(5)).toBeGreaterThan(70)
  })

  test.each(["words", "neighbours", "speaker", "time"] as const)("is worse without %s", (signal) => {
    expect(recallAt(5, { [signal]: 0 })).toBeLessThan(recallAt(5) - 2)
  })

  test("is worse with words alone", () => {
    const alone = { neighbours: 0, speaker: 0, time: 0, session: 0, answer: 0, grams: 0, recency: 0, importance: 0 }
    expect(recallAt(10, alone) * 1.25).toBeLessThan(recallAt(10))
  })
})
