import { chineseSeasonPattern, readSeason } from "./seasons.ts"
import * as time from "./time-reference.ts"

const digits = "零一二三四五六七八九"

/** Matches a count in Chinese or Arabic figures: up to 99, or digit by digit for years. `几` and `数` mean about three. */
const chineseCountPattern = "(?:\\d{1,4}|[零〇一二两三四五六七八九十]{1,4}|几|数)"

function readChineseCount(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  if (text === "几" || text === "数") return 3
  const plain = text.replaceAll("两", "二").replaceAll("〇", "零")
  const ten = plain.indexOf("十")
  if (ten < 0) return Number(Array.from(plain, (digit) => digits.indexOf(digit)).join(""))
  const tens = ten === 0 ? 1 : digits.indexOf(plain.charAt(ten - 1))
  return tens * 10 + Math.max(0, digits.indexOf(plain.charAt(ten + 1) || "零"))
}

const days: Readonly<Record<string, number>> = { 大前: -3, 前: -2, 昨: -1, 今: 0, 明: 1, 后: 2, 大后: 3 }
const years: Readonly<Record<string, number>> = { 大前年: -3, 前年: -2, 去年: -1, 今年: 0, 明年: 1, 后年: 2, 大后年: 3 }
const steps: Readonly<Record<string, number>> = { 上上: -2, 上: -1, 这: 0, 本: 0, 下: 1, 下下: 2 }
const unitNames = { 天: "day", 日: "day", 周: "week", 星期: "week", 礼拜: "week", 月: "month", 年: "year" } as const
const units: Readonly<Record<string, time.TimeUnit>> = unitNames

const count = `(?<count>${chineseCountPattern})`
const unit = "个?(?<unit>天|日|周|星期|礼拜|月|年)"
const yearWord = "大前年|前年|去年|今年|明年|大后年|后年"
const year = `(?:(?<year>(?:19|20)\\d\\d|[一二][零〇九][零〇一二三四五六七八九]{2})年|(?<yearWord>${yearWord}))`
const weekday = "(?<weekday>[一二三四五六日天末])"

function readYear(groups: Readonly<Record<string, string | undefined>>, today: time.Today): number | undefined {
  if (groups.year !== undefined) return readChineseCount(groups.year)
  return groups.yearWord === undefined ? undefined : today.year + (years[groups.yearWord] ?? 0)
}

function dayOfWeek(monday: number, weekday: string): time.TimeReference {
  return time.span(monday + Math.min(6, "一二三四五六日天".indexOf(weekday)))
}

function readMonth(groups: Readonly<Record<string, string | undefined>>, today: time.Today): time.TimeReference | undefined {
  const month = readChineseCount(groups.month ?? "")
  if (!(month >= 1 && month <= 12)) return undefined
  const year = readYear(groups, today)
  const date = groups.date === undefined ? undefined : readChineseCount(groups.date)
  if (date === undefined)
    return year === undefined ? time.partOfYear(month * 100 + 1, month * 100 + 31) : time.monthSpan(year, month)
  if (!(date >= 1 && date <= 31)) return undefined
  return year === undefined ? time.partOfYear(month * 100 + date, month * 100 + date) : time.dateSpan(year, month, date)
}

/** Chinese dates and expressions of time, longest forms first. */
export const chineseRules: readonly time.TimeRule[] = [
  time.timeRule(
    `(?:${year}的?)?(?<month>\\d{1,2}|[一二三四五六七八九十]{1,2})月份?(?:(?<date>\\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?`,
    readMonth,
  ),
  time.timeRule(`(?:${year}的?)?(?<season>${chineseSeasonPattern})`, (groups, today) =>
    readSeason(groups.season ?? "", readYear(groups, today), undefined, today),
  ),
  time.timeRule(`${count}${unit}(?:之前|以前|前)`, ({ count = "", unit = "" }, { day }) =>
    time.unitsAgo(day, readChineseCount(count), units[unit] ?? "day"),
  ),
  time.timeRule(/半年(?:之前|以前|前)/, (_, { day }) => time.unitsAgo(day, 6, "month")),
  time.timeRule(/半个月(?:之前|以前|前)/, (_, { day }) => time.unitsAgo(day, 15, "day")),
  time.timeRule(`(?:最近|过去|近)的?(?:这)?${count}${unit}`, ({ count = "", unit = "" }, { day }) =>
    time.span(Math.round(day - readChineseCount(count) * time.unitDays[units[unit] ?? "day"]), day),
  ),
  time.timeRule(`(?<which>上上|下下|上|这|本|下)个?(?:周|星期|礼拜)${weekday}?`, ({ which = "", weekday }, { day }) => {
    const weeks = steps[which] ?? 0
    if (weekday === undefined) return time.weekSpan(day, weeks)
    return weekday === "末" ? time.weekendSpan(day, weeks) : dayOfWeek(time.mondayOf(day) + 7 * weeks, weekday)
  }),
  time.timeRule(/(?<which>上上|下下|上|这|本|下)个?月/, ({ which = "" }, { year, month }) =>
    time.monthSpan(year, month + (steps[which] ?? 0)),
  ),
  time.timeRule(/(?:周末|星期六日|双休日)/, () => time.onWeekdays(0, 6)),
  time.timeRule(/(?<![每一二三四五六七八九十])(?:周|星期|礼拜)(?<weekday>[一二三四五六日天])/, ({ weekday = "" }) =>
    time.onWeekdays("日一二三四五六天".indexOf(weekday) % 7),
  ),
  time.timeRule(year, (groups, today) => time.yearSpan(readYear(groups, today) ?? today.year)),
  time.timeRule(/前几天|前两天|前些天|这几天/, (_, { day }) => time.span(day - 7, day)),
  time.timeRule(/(?<which>大前|大后|前|昨|今|明|后)(?:天|日|晚|早|夜)/, ({ which = "" }, { day }) =>
    time.span(day + (days[which] ?? 0)),
  ),
  time.timeRule(/最近|近来|前不久|不久前|近期/, (_, { day }) => time.lately(day, 30)),
]
