import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { findTimes } from "../../../../../src/memory/services/recall/time/find-times.ts"
import { dayMs, dayNumber } from "../../../../../src/memory/services/recall/time/local-calendar.ts"
import { dayMatch, toldMatch } from "../../../../../src/memory/services/recall/time/time-match.ts"

/** A Wednesday. */
const today = dayNumber(2024, 5, 15) ?? Number.NaN
const iso = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)

/** `2024-05-14`, `2024-05-06..2024-05-12`, `weekdays 0 6`, `yearly 1223..1227`; alternatives joined by `|`. */
function read(text: string): string[] {
  return findTimes(text, today).map(({ references }) =>
    references
      .map((reference) => {
        if (reference.kind === "weekdays") return `weekdays ${reference.weekdays.join(" ")}`
        if (reference.kind === "yearly") return `yearly ${reference.from}..${reference.to}`
        const [from, to] = [iso(reference.fromDay), iso(reference.toDay)]
        return from === to ? from : `${from}..${to}`
      })
      .join("|"),
  )
}

describe("expressions of time on Wednesday 2024-05-15", () => {
  test.each([
    ["what did i say today", "2024-05-15"],
    ["yesterday i swam", "2024-05-14"],
    ["the day before yesterday", "2024-05-13"],
    ["the day after tomorrow", "2024-05-17"],
    ["last night", "2024-05-14"],
    ["see you tomorrow", "2024-05-16"],
    ["last friday", "2024-05-10"],
    ["last wednesday", "2024-05-08"],
    ["this friday", "2024-05-17"],
    ["next monday", "2024-05-20"],
    ["next wednesday", "2024-05-22"],
    ["last week", "2024-05-06..2024-05-12"],
    ["next week", "2024-05-20..2024-05-26"],
    ["coming month", "2024-06-01..2024-06-30"],
    ["this week", "2024-05-13..2024-05-19"],
    ["this december", "2024-12-01..2024-12-31"],
    ["this march", "2024-03-01..2024-03-31"],
    ["last weekend", "2024-05-11..2024-05-12"],
    ["last month", "2024-04-01..2024-04-30"],
    ["last year", "2023-01-01..2023-12-31"],
    ["two weeks ago", "2024-04-28..2024-05-04"],
    ["3 days ago", "2024-05-12"],
    ["a couple of days ago", "2024-05-13"],
    ["a year ago", "2023-02-14..2023-08-15"],
    ["in the last three months", "2024-02-14..2024-05-15"],
    ["in may 2023", "2023-05-01..2023-05-31"],
    ["on 7 may 2023", "2023-05-07"],
    ["on the 7th of may, 2023", "2023-05-07"],
    ["may 7th, 2023", "2023-05-07"],
    ["2023-05-07", "2023-05-07"],
    ["2023/5/7", "2023-05-07"],
    ["5/7/2023", "2023-05-07|2023-07-05"],
    ["2023-05", "2023-05-01..2023-05-31"],
    ["25/12/2023", "2023-12-25"],
    ["in december", "yearly 1201..1231"],
    ["on may 7", "yearly 507..507"],
    ["last december", "2023-12-01..2023-12-31"],
    ["last april", "2024-04-01..2024-04-30"],
    ["in 2022", "2022-01-01..2022-12-31"],
    ["last summer", "2023-06-01..2023-08-31"],
    ["in the summer of 2022", "2022-06-01..2022-08-31"],
    ["summer in 2022", "2022-06-01..2022-08-31"],
    ["last winter", "2023-12-01..2024-02-28"],
    ["at christmas", "yearly 1223..1227"],
    ["last christmas", "2023-12-23..2023-12-27"],
    ["on weekends", "weekdays 0 6"],
    ["every tuesday", "weekdays 2"],
    ["今天", "2024-05-15"],
    ["昨天晚上吃了什么", "2024-05-14"],
    ["前天", "2024-05-13"],
    ["大前天", "2024-05-12"],
    ["上周五", "2024-05-10"],
    ["上个星期天", "2024-05-12"],
    ["上周末", "2024-05-11..2024-05-12"],
    ["上上周", "2024-04-29..2024-05-05"],
    ["这周三", "2024-05-15"],
    ["上个月", "2024-04-01..2024-04-30"],
    ["三天前", "2024-05-12"],
    ["几天前", "2024-05-12"],
    ["数天前", "2024-05-12"],
    ["二十天前", "2024-04-24..2024-04-26"],
    ["二十三天前", "2024-04-21..2024-04-23"],
    ["三个月前", "2024-01-30..2024-02-29"],
    ["十二天前", "2024-05-02..2024-05-04"],
    ["去年", "2023-01-01..2023-12-31"],
    ["前年夏天", "2022-06-01..2022-08-31"],
    ["去年圣诞节", "2023-12-23..2023-12-27"],
    ["去年五月", "2023-05-01..2023-05-31"],
    ["2023年5月7日", "2023-05-07"],
    ["2023年5月7号", "2023-05-07"],
    ["二〇二三年十月", "2023-10-01..2023-10-31"],
    ["5月", "yearly 501..531"],
    ["5月1日", "yearly 501..501"],
    ["5月31日", "yearly 531..531"],
    ["5月0日", undefined],
    ["5月32日", undefined],
    ["0月", undefined],
    ["13月", undefined],
    ["1月", "yearly 101..131"],
    ["12月", "yearly 1201..1231"],
    ["2022年", "2022-01-01..2022-12-31"],
    ["周末喜欢做什么", "weekdays 0 6"],
    ["每周一次", undefined],
    ["周一", "weekdays 1"],
    ["may i ask who marched on", undefined],
    ["the sun sat on a mon", undefined],
    ["version 2.0.2023 of 13/13/2023", undefined],
    ["2023-02-30", undefined],
    ["13月40号", undefined],
    ["第一次", undefined],
  ])("%s means %s", (text, expected) => {
    expect(read(text)).toEqual(expected === undefined ? [] : [expected])
  })

  test.each([
    ["春节", 120, 222],
    ["spring", 301, 531],
    ["夏天", 601, 831],
    ["autumn", 901, 1130],
    ["冬天", 1201, 228],
    ["xmas", 1223, 1227],
    ["元旦", 1231, 102],
    ["valentine's day", 213, 215],
    ["halloween", 1030, 1101],
    ["thanksgiving", 1121, 1129],
    ["easter", 322, 425],
    ["国庆节", 930, 1008],
    ["劳动节", 430, 505],
    ["儿童节", 531, 602],
    ["妇女节", 307, 309],
    ["教师节", 909, 911],
    ["清明节", 403, 406],
    ["端午节", 528, 625],
    ["七夕", 731, 830],
    ["中秋节", 907, 1008],
    ["暑假", 701, 831],
    ["寒假", 110, 222],
    ["年初", 101, 228],
    ["年中", 601, 731],
    ["年底", 1115, 1231],
  ])("%s covers each day on which it may fall", (name, from, to) => {
    expect(read(name)).toEqual([`yearly ${from}..${to}`])
  })

  test("are found side by side and never overlap", () => {
    expect(read("from last friday to 2024-05-12, 还有昨天")).toEqual(["2024-05-10", "2024-05-12", "2024-05-14"])
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("last ", "may ", "2023", "-05", "-07 ", "friday ", "去年", "五月", "7号", "two ", "days ago "), {
          maxLength: 30,
        }),
        (parts) => {
          const found = findTimes(parts.join(""), today)
          for (const [i, { start, end }] of found.entries()) {
            expect(end).toBeGreaterThan(start)
            expect(start).toBeGreaterThanOrEqual(found[i - 1]?.end ?? 0)
          }
        },
      ),
    )
  })

  test("of any text read without an error, and a span never ends before it begins", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: -100_000, max: 100_000 }), (text, day) => {
        for (const { references } of findTimes(text.toLowerCase(), day))
          for (const reference of references)
            if (reference.kind === "span") expect(reference.toDay).toBeGreaterThanOrEqual(reference.fromDay)
      }),
    )
  })
})

describe("how well a day fits", () => {
  const week = [{ kind: "span", fromDay: 100, toDay: 106 } as const]

  test("is 1 inside, fades outside and more slowly after than before", () => {
    expect([100, 106].map((day) => dayMatch(week, day))).toEqual([1, 1])
    expect(dayMatch(week, 108)).toBeGreaterThan(dayMatch(week, 98))
    expect(dayMatch(week, 98)).toBeGreaterThan(0)
    expect(dayMatch(week, 200)).toBe(0)
  })

  test("is that of the nearest of several, and of what a text tells of", () => {
    expect(dayMatch([...week, { kind: "span", fromDay: 300, toDay: 300 }], 300)).toBe(1)
    expect(toldMatch(week, { fromDay: 104, toDay: 120 })).toBe(1)
    expect(toldMatch(week, { fromDay: 200, toDay: 201 })).toBe(0)
    // A day of the week says something of one day, and nothing of several.
    expect(toldMatch([{ kind: "weekdays", weekdays: [3] }], { fromDay: today, toDay: today })).toBe(0.5)
    expect(toldMatch([{ kind: "weekdays", weekdays: [3] }], { fromDay: today, toDay: today + 7 })).toBe(0)
  })

  test("knows days that come again, over New Year too", () => {
    const winter = [{ kind: "yearly", from: 1201, to: 228 } as const]
    expect(
      [dayNumber(2021, 12, 5), dayNumber(2023, 1, 5), dayNumber(2023, 7, 5)].map((day) => dayMatch(winter, day ?? 0)),
    ).toEqual([1, 1, 0])
    const spring = [{ kind: "yearly", from: 301, to: 531 } as const]
    const days = [
      dayNumber(2021, 2, 28),
      dayNumber(2021, 3, 1),
      dayNumber(2022, 4, 9),
      dayNumber(2023, 5, 31),
      dayNumber(2023, 6, 1),
    ]
    expect(days.map((day) => dayMatch(spring, day ?? 0))).toEqual([0, 1, 1, 1, 0])
    expect(dayMatch([{ kind: "weekdays", weekdays: [3] }], today)).toBe(0.5)
  })
})
