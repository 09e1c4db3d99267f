import { expect, test } from "vitest"
import { RecallIndex } from "../../../../src/memory/services/recall/recall-index.ts"
import { chatLanguages, peopleChats } from "../../../support/people-chats.ts"
import { recallSets } from "../../../support/recall-sets/recall-sets.ts"

const sets = [
  ...[...recallSets("development")].map(([name, chats]) => ({ name, chats })),
  ...chatLanguages.map((language) => ({ name: `people ${language}`, chats: peopleChats(language, "development") })),
]

/** The first five memories for each question of a set, each with its confidence. Questions that a chat does not answer count as well. */
const judged = sets.map(({ name, chats }) => {
  const memories = chats.flatMap(({ lines, questions, nowMs, ...who }) => {
    const index = new RecallIndex()
    for (const line of lines) index.replace(line)
    return questions.flatMap(({ text, evidence }) =>
      index.rank({ text, nowMs, limit: 5, ...who }).map(({ id, confidence = 0 }) => {
        return { confidence, isRight: evidence.some((group) => group.includes(id)) }
      }),
    )
  })
  return { name, memories }
})

test.each(judged)("of two memories, the one that is evidence mostly has the higher confidence: $name", ({ memories }) => {
  const [right, wrong] = [memories.filter(({ isRight }) => isRight), memories.filter(({ isRight }) => !isRight)]
  const wins = right.flatMap((one) =>
    wrong.map((other) => (one.confidence === other.confidence ? 0.5 : Number(one.confidence > other.confidence))),
  )
  expect(wins.reduce((sum, win) => sum + win, 0) / wins.length).toBeGreaterThanOrEqual(0.65)
})

test("as many memories are evidence as their confidence says", () => {
  const all = judged.flatMap(({ memories }) => memories)
  for (const [from, to] of [
    [0, 0.1],
    [0.1, 0.2],
    [0.2, 0.3],
    [0.3, 0.5],
    [0.5, 1],
  ] as const) {
    const some = all.filter(({ confidence }) => confidence >= from && confidence < to)
    const told = some.reduce((sum, { confidence }) => sum + confidence, 0) / some.length
    const found = some.filter(({ isRight }) => isRight).length / some.length
    expect(Math.abs(found - told), `${from} to ${to}: ${some.length}, ${told} and ${found}`).toBeLessThanOrEqual(0.15)
  }
})
