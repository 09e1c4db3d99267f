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
import type { TemplateValues } from "../../../../src/prompt/template/render.ts"
import { renderTemplate } from "../../../../src/prompt/template/render-template.ts"

const day = (at: number, importance = 3) => ({ at, importance, text: `day ${at}` })

describe("the events that a summary by rule tells (R20)", () => {
  test("of a month of equal events they lie over the whole month", () => {
    const month = Array.from({ length: 30 }, (_, at) => day(at))
    expect(chooseByRule(month, "month").map(({ at }) => at)).toEqual([0, 7, 14, 29])
  })

  test("H1 of equal events what was told once comes before what was told again and again, and no text comes twice", () => {
    const month = Array.from({ length: 30 }, (_, at) => ({
      ...day(at),
      text: at === 4 || at === 9 ? `${at}` : `tomatoes ${at % 2}`,
    }))
    expect(chooseByRule(month, "month").map(({ text }) => text)).toEqual(["4", "9", "tomatoes 0", "tomatoes 1"])
    expect(chooseByRule(month, "month").map(({ at }) => at)).toEqual([4, 9, 18, 29])
    const again = month.map((event) => (event.at < 2 ? { ...event, importance: 9 } : event))
    expect(chooseByRule(again, "week").map(({ at }) => at)).toEqual([0, 1, 9])
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

const form = (values: TemplateValues): string =>
  renderTemplate("<${name? ${name}}|${heard? ${heard}}|${answered? ${answered}}>", values)
const message = (role: "user" | "assistant", text: string, turnId = "t", name = "Ann\nLee"): HistoryMessage => {
  return { role, text, speaker: { id: name, name: role === "user" ? name : "Fay" }, turnId, atMs: 0 }
}
const user = (text: string, turnId?: string, name?: string) => message("user", text, turnId, name)
const agent = (text: string, turnId?: string) => message("assistant", text, turnId)

describe("an event by rule (R20, H1)", () => {
  test.each([
    ["a user's words alone", [user("one cat\ntwo cats")], "<Ann Lee|one cat. two cats|>"],
    ["an agent's words alone", [agent("one cat")], "<||one cat>"],
    [
      "H1 what tells most, neither the first nor the last",
      [
        user("早上好"),
        agent("早！今天过得怎么样？"),
        user("我家的猫昨天生了三只小猫。"),
        agent("恭喜！"),
        user("谢谢你"),
        agent("我记住啦。"),
      ],
      "<Ann Lee|我家的猫昨天生了三只小猫。|>",
    ],
    [
      "each speaker of a group in turn",
      [
        user("Hello!"),
        user("I moved to Leeds.", "t", "Bo"),
        user("Sam married the baker.", "t", "Cy"),
        user("thanks, see you tomorrow"),
      ],
      "<Bo|I moved to Leeds.|> <Cy|Sam married the baker.|>",
    ],
    ["what is wider, cut", [user(`a cat${" and a dog".repeat(20)}`)], /^<Ann Lee\|.{99,100}…\|>$/u],
  ])("tells %s", (_, messages, text) => {
    const written = writeTopicByRule(messages, form)?.text
    if (typeof text === "string") expect(written).toBe(text)
    else expect(written).toMatch(text)
  })

  test.each([
    "",
    " ",
    "你好呀",
    "早上好！嗯嗯，谢谢你",
    "Good morning! How are you today?",
    "haha ok, thank you so much",
    "👋",
    "好的，拜拜～",
    "早，昨晚睡得怎么样？",
    "我睡了，晚安，做个好梦",
    "Hi, did you sleep well? How was your day?",
    "I'm off to bed, sweet dreams",
  ])("H1 small talk is no event: %j", (text) => {
    expect(writeTopicByRule([user(text), agent(text)], form)).toBeUndefined()
    expect(writeTopicByRule([], form)).toBeUndefined()
  })

  test("H1 an answer to small talk alone is no event, unless its turn was judged important; one after a nod tells what it says", () => {
    const greeted = [user("早上好！睡得好吗？"), agent("早！我梦见海边的灯塔了。")]
    expect(writeTopicByRule(greeted, form)).toBeUndefined()
    const judged = (importance: number) => writeTopicByRule(greeted, form, new Map([["t", { importance }]]))
    expect(judged(5)).toBeUndefined()
    expect(judged(8)).toEqual({ text: "<||我梦见海边的灯塔了。>", importance: 8 })
    const nodded = [user("猫病了。"), agent("怎么了？"), user("嗯嗯"), agent("那就带猫去桂花巷的动物医院，找欧阳大夫。")]
    expect(writeTopicByRule(nodded, form)?.text).toContain("欧阳大夫")
  })

  test("H1 of turns that a model judged it tells the most important one, with that importance, and nothing of what is worth nothing", () => {
    const messages = [user("The oven, the bread and the butter are on the long table.", "a"), user("I am ill.", "b")]
    expect(writeTopicByRule(messages, form)?.text).toContain("oven")
    const judged = (a: number, b: number) => new Map(Object.entries({ a: { importance: a }, b: { importance: b } }))
    expect(writeTopicByRule(messages, form, judged(1, 9))).toEqual({ text: "<Ann Lee|I am ill.|>", importance: 9 })
    expect(writeTopicByRule(messages, form, judged(0, 0))).toBeUndefined()
  })

  test("H1 without a judgement its importance grows with the words that carry something, not with the number of exchanges", () => {
    const importance = (messages: readonly HistoryMessage[]) => writeTopicByRule(messages, form)?.importance
    const one = importance([user("The cat is ill.")]) ?? 0
    expect(importance(Array.from({ length: 30 }, () => user("The cat is ill.")))).toBe(one)
    expect(importance([user("The cat, the dog and the old horse of my uncle are ill.")])).toBeGreaterThan(one)
    const most = importance([user(Array.from({ length: 99 }, (_, at) => `word${at}x`).join(" "))])
    expect(most).toBe(7)
  })

  test.each([
    [`User said “${"one two ".repeat(9)}”`, `User said “${"one two ".repeat(7)}one…”`],
    [
      `User said “Where did the cat hide, and who found her there?” I said “In the piano”`,
      `User said “Where did the cat hide, and who found her there?”…`,
    ],
    [`用户说“${"猫".repeat(40)}”`, `用户说“${"猫".repeat(32)}…”`],
    [
      `用户说“请柬都没写。”我说“${"好".repeat(15)}，先写十张，剩下的明天再说。”`,
      `用户说“请柬都没写。”我说“${"好".repeat(15)}，先写十张…”`,
    ],
    [`用户说“${"好".repeat(26)}，我喜欢的葡萄熟了”`, `用户说“${"好".repeat(26)}，我喜欢的…”`],
    [`User said “${"y".repeat(90)}”`, `User said “${"y".repeat(60)}…”`],
  ])("H3 a summary ends a long event with a whole word, its quotation closed: %s", (text, begin) => {
    expect(writeRollUpByRule([{ text, importance: 3 }]).text).toBe(begin)
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
