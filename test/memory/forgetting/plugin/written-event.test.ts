import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { HistoryMessage } from "../../../../src/core/conversation.ts"
import {
  chooseByRule,
  readRollUp,
  readTopics,
  writeRollUpByRule,
  writeTopicByRule,
} from "../../../../src/memory/forgetting/plugin/jobs/written-event.ts"
import { parseTemplate } from "../../../../src/prompt/template/parse.ts"

const day = (at: number, importance = 3) => ({ at, importance })

describe("the events that a summary by rule tells (R20)", () => {
  test("of a month of equal events they lie over the whole month", () => {
    const month = Array.from({ length: 30 }, (_, at) => day(at))
    expect(chooseByRule(month, "month").map(({ at }) => at)).toEqual([0, 7, 14, 29])
  })

  test("the most important ones come first, wherever they lie", () => {
    const month = Array.from({ length: 30 }, (_, at) => day(at, at === 3 || at === 4 ? 7 : 3))
    expect(chooseByRule(month, "month").map(({ at }) => at)).toEqual([3, 4, 16, 29])
  })

  test("are as many as the period tells, in order, and none left out is more important", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 40 }), (importances) => {
        const events = importances.map((importance, at) => day(at, importance))
        const chosen = chooseByRule(events, "year")
        expect(chosen).toHaveLength(Math.min(5, events.length))
        expect(chosen).toEqual(chosen.toSorted((a, b) => a.at - b.at))
        const least = Math.min(...chosen.map(({ importance }) => importance))
        for (const event of events) if (!chosen.includes(event)) expect(event.importance).toBeLessThanOrEqual(least)
      }),
    )
  })
})

test("a model's topics are read four deep, what lies deeper is left out", () => {
  const nested = (depth: number): object => ({ event: `level ${depth}`, parts: depth < 9 ? [nested(depth + 1)] : [] })
  const levels: string[] = []
  for (let topics = readTopics(JSON.stringify([nested(1)])) ?? []; topics[0]; topics = topics[0].parts)
    levels.push(topics[0].text)
  expect(levels).toEqual(["level 1", "level 2", "level 3", "level 4"])
})

const form = parseTemplate("<${name? ${name}}|${heard? ${heard}}|${answered? ${answered}}>", { file: "form.md", firstLine: 1 })
const message = (role: "user" | "assistant", text: string): HistoryMessage => {
  return { role, text, speaker: { id: role, name: role === "user" ? "Ann\nLee" : "Fay" }, turnId: "t", atMs: 0 }
}

describe("an event by rule (R20)", () => {
  test.each([
    ["nobody's words", [], "<||>"],
    ["a user's words alone", [message("user", "one\ntwo")], "<Ann Lee|one two|>"],
    ["an agent's words alone", [message("assistant", "one")], "<||one>"],
    [
      "the first that a user said and the last that the agent said, without blank ones",
      [" ", "first", "second"]
        .map((text) => message("user", text))
        .concat(["one", "last", "\n"].map((text) => message("assistant", text))),
      "<Ann Lee|first|last>",
    ],
    [
      "each to its width",
      [message("user", "u".repeat(60)), message("assistant", "a".repeat(40))],
      `<Ann Lee|${"u".repeat(60)}|${"a".repeat(40)}>`,
    ],
    [
      "what is wider, cut",
      [message("user", "u".repeat(61)), message("assistant", "茶".repeat(21))],
      `<Ann Lee|${"u".repeat(60)}…|${"茶".repeat(20)}…>`,
    ],
  ])("tells %s", (_, messages, text) => {
    expect(writeTopicByRule(messages, form).text).toBe(text)
  })

  test.each([
    [0, 2],
    [2, 2],
    [3, 2 + Math.log2(1.5)],
    [4, 3],
    [8, 4],
    [32, 6],
    [64, 7],
    [65, 7],
    [1_000, 7],
  ])("of %d messages has the importance %d", (count, importance) => {
    const spoken = Array.from({ length: count }, () => message("user", "x"))
    expect(writeTopicByRule([...spoken, message("user", " ")], form).importance).toBe(importance)
  })

  test("a summary has the begin of each event on one line, and the importance of the highest", () => {
    const events = [
      { text: "a\nb", importance: 3 },
      { text: "c".repeat(72), importance: 5 },
      { text: "d".repeat(73), importance: 4 },
    ]
    expect(writeRollUpByRule(events)).toEqual({ text: `a b ${"c".repeat(72)} ${"d".repeat(72)}…`, importance: 5 })
    expect(writeRollUpByRule([])).toEqual({ text: "", importance: 0 })
  })

  test.each([
    ["day", 3],
    ["week", 3],
    ["month", 4],
    ["year", 5],
  ] as const)("a %s tells %d events, or all that there are", (grain, count) => {
    const events = Array.from({ length: count + 1 }, (_, at) => day(at))
    expect(chooseByRule(events, grain)).toHaveLength(count)
    expect(chooseByRule(events.slice(1), grain)).toEqual(events.slice(1))
    expect(chooseByRule(events.slice(2), grain)).toEqual(events.slice(2))
  })
})

describe("what a model wrote (R20)", () => {
  const topic = { text: "x", importance: 3, message: 1, parts: [] }
  test.each([
    ["no list", "nothing", undefined],
    ["a list that never ends", "[1", undefined],
    ["an end before the beginning", "] and [", undefined],
    ["broken JSON", "[{]", undefined],
    ["an object", '{"event": "x"}', undefined],
    ["an empty list", "[]", undefined],
    ["what is no event", '[1, null, "x", {"text": "x"}, {"event": 1}, {"event": " "}]', undefined],
    ["text around a list", 'So: [{"event": "x"}] and out.', [topic]],
    ["numbers that are none", '[{"event": "x", "importance": "9", "message": "2", "parts": {}}]', [topic]],
    ["numbers", '[{"event": "x", "importance": 0, "message": 1.5}]', [{ ...topic, importance: 0, message: 1.5 }]],
    ["a message before the first", '[{"event": "x", "message": 0}]', [topic]],
    ["spaces and line breaks", '[{"event": " x \\n\\n  y "}]', [{ ...topic, text: "x y" }]],
    ["a text of just the length", `[{"event": "${"x".repeat(500)}"}]`, [{ ...topic, text: "x".repeat(500) }]],
    ["a longer text", `[{"event": "${"x".repeat(501)}"}]`, [{ ...topic, text: `${"x".repeat(499)}…` }]],
  ])("%s", (_, answer, expected) => {
    expect(readTopics(answer)).toEqual(expected)
  })

  test("at most twelve topics, and twelve parts of each", () => {
    const list = (count: number, parts: unknown = []) => Array.from({ length: count }, () => ({ event: "x", parts }))
    for (const [count, read] of [
      [12, 12],
      [13, 12],
    ] as const) {
      const topics = readTopics(JSON.stringify(list(count, list(count))))
      expect([topics?.length, topics?.[0]?.parts.length]).toEqual([read, read])
    }
  })

  test.each([
    ["an object in a list", '[{"event": "x", "importance": 4, "parts": [{"event": "y"}]}]', { text: "x", importance: 4 }],
    ["an object without an event", '{"text": "x"}', undefined],
    ["no object", "[]", undefined],
    ["one that never ends", '{"event": "x"', undefined],
  ])("a roll-up: %s", (_, answer, expected) => {
    expect(readRollUp(answer)).toEqual(expected)
  })
})
