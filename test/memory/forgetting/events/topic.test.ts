import { describe, expect, test } from "vitest"
import { nextTopic, type Topic } from "../../../../src/memory/forgetting/events/topic.ts"

const settings = { gapMs: 1_000, maxTurns: 3 }
const topic: Topic = { id: "first", fromMs: 0, lastMs: 500, turns: 2 }

describe("a topic", () => {
  test("begins with the first turn", () => {
    expect(nextTopic(undefined, { id: "first", atMs: 5, turn: 0 }, settings)).toEqual({
      topic: { id: "first", fromMs: 5, lastMs: 5, turns: 1 },
    })
  })

  test("goes on while turns follow each other, and a clock that runs backwards ends none", () => {
    expect(nextTopic(topic, { id: "next", atMs: 1_500, turn: 2 }, settings)).toEqual({
      topic: { ...topic, lastMs: 1_500, turns: 3 },
    })
    expect(nextTopic(topic, { id: "next", atMs: -9_000, turn: 2 }, settings).topic.lastMs).toBe(500)
  })

  test("ends a moment after its beginning at least, also where the clock was set back", () => {
    const before = { ...topic, fromMs: 700, turns: 3 }
    expect(nextTopic(before, { id: "next", atMs: 100, turn: 3 }, settings).ended?.beforeMs).toBe(701)
  })

  test("ends after a gap, and after so many turns", () => {
    const { topic: after, ended } = nextTopic(topic, { id: "next", atMs: 1_501, turn: 2 }, settings)
    expect([after.id, ended]).toEqual(["next", { ...topic, beforeMs: 1_501, endedTurn: 2 }])
    expect(nextTopic({ ...topic, turns: 3 }, { id: "next", atMs: 501, turn: 3 }, settings).ended?.id).toBe("first")
  })
})
