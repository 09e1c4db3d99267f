import { describe, expect, test } from "vitest"
import {
  askedBefore,
  askedMarks,
  askedOrder,
  asksForPast,
  interrogatives,
  textMarks,
} from "../../../../src/memory/services/recall/text-marks.ts"
import { dayMs } from "../../../../src/memory/services/recall/time/local-calendar.ts"

const words = (list: string) => list.split(" ").map((word) => word.replaceAll("_", " "))

/** Questions, those that ask for a thing beside those that only sound like it. */
const questions = [
  ...words(
    "when what_date what_day what_month what_year what_time which_day which_month which_year how_long how_recently how_soon",
  ),
  ...words(
    "whenever whats_time how_longing how_many how_much how_old how_often how_far how_big how_tall what_age what_number what_size what_price",
  ),
  ...words("什么时候 何时 哪天 哪一天 哪年 哪一年 几号 几月 多久 几点 多少 几个 几岁 多大 几次 几天 几年"),
  ...words(
    "now nowadays currently current these_days at_the_moment at_present presently lately recently latest newest most_recent by_now as_of_today anymore snow",
  ),
  ...words("现在 現在 目前 如今 最近 最新 近来 近來 眼下 当前 當前 这阵子 這陣子"),
  ...words(
    "at_first originally initially earliest oldest in_the_beginning to_begin_with very_first first_time first first_name first_names first_aid first_class first_floor first_lady first_of_all first_thing",
  ),
  ...words("最早 最初 起初 起先 一开始 一開始 当初 當初 第一次 首次"),
  ...words("used_to previously formerly before before_that before_then before_now before_you_go 以前 从前 從前 原来 原來 之前"),
  ...words("什么 为什么 为啥 怎么 怎么样 怎样 哪里 哪儿 哪个 哪些"),
]

test("each question asks for a time, a number, an end of time or the past like this", async () => {
  const lines = questions.map((question) => {
    const { time, number } = askedMarks(question)
    const asked = [time && "time", number && "number", askedOrder(question), asksForPast(question) && "past"]
    const interrogative = interrogatives(question).map((word) => `by ${word}`)
    return `${question}: ${[...asked, ...interrogative].filter(Boolean).join(", ") || "nothing"}`
  })
  await expect([...lines, ""].join("\n")).toMatchFileSnapshot("__snapshots__/asked-marks.md")
})

describe("the order that a text asks for", () => {
  test.each<[string, string, "newest" | "oldest" | undefined]>([
    ["a line without a mark", "where do you live now", "newest"],
    ["both ends", "the first and the latest", undefined],
    ["a line of 200 characters", `now ${"x".repeat(196)}`, "newest"],
    ["a longer line without a mark", `now ${"x".repeat(197)}`, undefined],
    ["a longer line with a mark", `now ${"x".repeat(197)}?`, "newest"],
    ["several lines, of which none asks", "I live here now.\nIt is fine.", undefined],
    ["several lines, of which one asks", "It is fine.\nWhere do you live now？", "newest"],
    ["several lines, of which another one asks", "I live here now.\nIs it fine?", undefined],
  ])("%s", (_, text, order) => {
    expect(askedOrder(text)).toBe(order)
  })

  test("words by which lines of dialogue ask are part of what was said", () => {
    expect([interrogatives(" 什么时候去哪里 \n"), interrogatives("什么\n好")]).toEqual([["什么时候", "哪里"], []])
  })
})

describe("the marks of a text", () => {
  const at = 100 * dayMs + 5
  const plain = { question: false, time: false, number: false, told: undefined }
  test.each<[string, string, readonly string[], object]>([
    ["plain words", "I like tea.", [], plain],
    ["a time", "I swam yesterday.", [], { ...plain, time: true, told: { fromDay: 99, toDay: 99 } }],
    [
      "its own time before dates",
      "I swam yesterday.",
      ["1970-01-02"],
      { ...plain, time: true, told: { fromDay: 99, toDay: 99 } },
    ],
    ["dates", "I swam.", ["1970-01-09", "1970-01-02", "soon"], { ...plain, told: { fromDay: 1, toDay: 8 } }],
    [
      "days that come again, and dates",
      "I swim on mondays.",
      ["1970-01-02"],
      { ...plain, time: true, told: { fromDay: 1, toDay: 1 } },
    ],
    ["92 days", "I swam.", ["1970-01-01", "1970-04-02"], { ...plain, told: { fromDay: 0, toDay: 91 } }],
    ["more days", "I swam.", ["1970-01-01", "1970-04-03"], plain],
    ["a figure", "I have 2 cats.", [], { ...plain, number: true }],
    ["a number in words", "I have two cats.", [], { ...plain, number: true }],
    ["a Chinese number", "我有两只猫", [], { ...plain, number: true }],
    ["a Chinese number of nothing", "一起去", [], plain],
    ["a question", "Do you like tea?", [], { ...plain, question: true }],
    ["a question of two thirds", `${"x".repeat(20)}?${"y".repeat(10)}.`, [], { ...plain, question: true }],
    ["a question of less", `${"x".repeat(19)}?${"y".repeat(10)}.`, [], plain],
    ["a mark without words", "?!", [], plain],
    ["what stands behind 2,000 characters", `${"x".repeat(1_991)} yesterday`, [], plain],
    ["what just fits", `${"x".repeat(1_990)} yesterday`, [], { ...plain, time: true, told: { fromDay: 99, toDay: 99 } }],
  ])("%s", (_, text, dates, expected) => {
    expect(textMarks(text, at, dates)).toEqual(expected)
  })
})

test.each([
  ["before i moved to madrid, where was it?", "i moved to madrid"],
  ["你好。搬到马德里之前，我住在哪里？", "搬到马德里"],
  ["之前我住在哪里", undefined],
  ["之前？ 在杭州以前住哪里", "在杭州"],
  ["where did i live?", undefined],
  // A reading that tries every beginning of it does not end here.
  ["中".repeat(1_000_000), undefined],
])("the words before whose time something is asked for: %#", (text, words) => {
  expect(askedBefore(text)).toBe(words)
})
