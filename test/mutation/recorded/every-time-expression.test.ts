import { expect, test } from "vitest"
import { findTimes } from "../../../src/memory/services/recall/time/find-times.ts"
import { dayMs, dayNumber } from "../../../src/memory/services/recall/time/local-calendar.ts"

/** A Wednesday in a leap year, a Sunday at the end of a year, and a Monday at the beginning of a month. */
const days = [dayNumber(2024, 2, 28), dayNumber(2023, 12, 31), dayNumber(2024, 7, 1)].map((day) => day ?? Number.NaN)
const iso = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)

/** What a text means on one of the days: `2024-05-06..2024-05-12`, behind the words that were read where others stand beside them. */
function read(text: string, day: number): string {
  const found = findTimes(text, day).map(({ start, end, references }) => {
    const meant = references.map((reference) => {
      if (reference.kind === "weekdays") return `weekdays ${reference.weekdays.join(" ")}`
      if (reference.kind === "yearly") return `yearly ${reference.from}..${reference.to}`
      const [from, to] = [iso(reference.fromDay), iso(reference.toDay)]
      return from === to ? from : `${from}..${to}`
    })
    const words = text.slice(start, end)
    return `${words === text ? "" : `[${words}] `}${meant.join(" or ")}`
  })
  return found.length === 0 ? "nothing" : found.join(", ")
}

const months = "january feb march apr may june jul august sept october nov december".split(" ")
const weekdays = "sunday mon tuesday wed thursday fri saturday".split(" ")
const names = ["week", "month", "year", "weekend", ...weekdays, ...months, "spring", "summer", "winter", "easter"]
const counts = "1 2 3 12 10000 a an a_couple_of a_few several couple_of few five twelve zero 007"
  .split(" ")
  .map((count) => count.replaceAll("_", " "))
const units = ["day", "weeks", "months", "year"]
const chineseUnits = ["天", "日", "个星期", "周", "礼拜", "个月", "年"]
const chineseCounts = ["1", "4", "5", "99", "几", "数", "两", "六", "十", "十九", "二十", "九十九", "三百", "二〇二三"]

const english = [
  ..."last past previous this next coming".split(" ").flatMap((which) => names.map((name) => `${which} ${name}`)),
  ...counts.flatMap((count) => units.flatMap((unit) => [`${count} ${unit} ago`, `in ${count} ${unit}`, `last ${count} ${unit}`])),
  ...["earlier", "back", "before"].map((word) => `two days ${word}`),
  ...["past", "previous"].map((word) => `the ${word} two weeks`),
  ...counts.map((count) => `${count} weekends ago`),
  ...months.flatMap((month) => [`in ${month}`, `${month} 3rd`, `1 of ${month}, 2021`, `${month} of 2020`]),
  ..."of since during by early late mid until around throughout early- mid-".split(" ").map((word) => `${word} june`),
  ..."in since during from by year until before after back_in".split(" ").map((word) => `${word.replace("_", " ")} 1999`),
  ..."2024-02-29 2023-02-29 2023/2/5 2023.12.1 2023-12 2023-13 12/31/2023 31.12.2023 1/2/2023 13/13/2023 1.2.20234 v2023-1-1 12023-1-1".split(
    " ",
  ),
  ..."the_day_before_yesterday the_day_after_tomorrow yesterday last_night last_evening tomorrow today tonight this_morning this_afternoon this_evening right_now the_other_day recently lately these_days weekends the_weekend mondays june_31 32_may may_0 may_the_4th 4th_may 4_may, summer_2020 summer_in_2020 summer_of_2020 last_summer_2020 xmas springtime"
    .split(" ")
    .map((text) => text.replaceAll("_", " ")),
]
const chinese = [
  ...chineseCounts.flatMap((count) => chineseUnits.map((unit) => `${count}${unit}前`)),
  ...["之前", "以前"].map((word) => `三天${word}`),
  ..."半年前 半个月以前 最近三天 过去两个月 近五年 最近的这两周".split(" "),
  ...["上上", "上", "这", "本", "下", "下下"].flatMap((which) => [
    ...["周", "个星期", "礼拜", "个月"].map((unit) => `${which}${unit}`),
    ...[..."一二三四五六日天末"].map((day) => `${which}周${day}`),
  ]),
  ...[..."一二三四五六日天"].flatMap((day) => [`周${day}`, `星期${day}`, `每周${day}`]),
  ..."周末 星期六日 双休日 前几天 前两天 前些天 这几天 最近 近来 前不久 不久前 近期".split(" "),
  ...["大前", "前", "昨", "今", "明", "后", "大后"].flatMap((day) => [`${day}天`, `${day}年`, `${day}晚`]),
  ..."大前年 前年 去年 今年 明年 后年".split(" ").flatMap((year) => [year, `${year}十一月`, `${year}的冬天`]),
  ..."1999年 2023年2月29日 2024年2月29号 二〇二三年 一九零八年 三月份 十二月三十一日 13月 1月32日 零月 二零二三年春节 2020年国庆".split(
    " ",
  ),
]

test("each expression of time means these days, on three days", async () => {
  const lines = [...english, ...chinese].map((text) => {
    const [first = "", ...others] = days.map((day) => read(text, day))
    return others.every((other) => other === first) ? `${text}: ${first}` : `${text}: ${[first, ...others].join(" / ")}`
  })
  const head = `On ${days.map(iso).join(" / ")}\n`
  expect([head, ...lines, ""].join("\n")).toMatchSnapshot()
})

test("at most sixteen expressions of a text are read", () => {
  expect(findTimes("today ".repeat(17), 0)).toHaveLength(16)
  expect(findTimes("today ".repeat(16), 0)).toHaveLength(16)
})
