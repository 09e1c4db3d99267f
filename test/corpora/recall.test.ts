import { describe, expect, test } from "vitest"
import type { RecallIndex } from "../../src/memory/services/recall/recall-index.ts"
import type { RecallQuery } from "../../src/memory/services/recall/recall-query.ts"
import { dataPresent } from "../support/corpora.ts"
import { type MadialQuestion, madialIndexes, madialQuestions, recallShares } from "../support/madial.ts"

const cutoffs = [1, 5, 10, 20]

describe.skipIf(!dataPresent)("recall on the Chinese dialogues of MADial-Bench", () => {
  const indexes = dataPresent ? madialIndexes() : new Map<number, RecallIndex>()
  const questions = dataPresent ? madialQuestions() : []
  const ask = (question: MadialQuestion, rest: Partial<RecallQuery> = {}) =>
    (indexes.get(question.userId)?.rank({ text: question.text, nowMs: Date.UTC(2024, 6, 1), limit: 50, ...rest }) ?? []).map(
      ({ id }) => id,
    )
  const measure = (answer: (question: MadialQuestion) => readonly string[]) => recallShares(questions, answer, cutoffs)

  test("finds 63 % of what is relevant among ten memories, by words alone", () => {
    expect(questions).toHaveLength(160)
    expect(measure((question) => ask(question))[2]).toBeGreaterThanOrEqual(63)
  })

  test("fused with a dense ranking is never more than a point under the better of the two", () => {
    const lexical = measure((question) => ask(question))
    const dense = measure(({ dense }) => dense)
    const fused = measure((question) => ask(question, { vectorRanking: question.dense }))
    for (const [i] of cutoffs.entries()) {
      expect(fused[i]).toBeGreaterThanOrEqual(Math.max(lexical[i] ?? 0, dense[i] ?? 0) - 1)
    }
  })

  test("does not hang on one weight: half and twice of each still find 60 %", () => {
    for (const signal of [
      "words",
      "grams",
      "session",
      "neighbours",
      "speaker",
      "time",
      "answer",
      "recency",
      "importance",
    ] as const) {
      for (const weight of [0, 0.5, 2]) {
        expect(
          measure((question) =>
            ask(question, { weights: { [signal]: weight * (signal === "recency" || signal === "importance" ? 0.03 : 1) } }),
          )[2],
        ).toBeGreaterThan(60)
      }
    }
  })
})
