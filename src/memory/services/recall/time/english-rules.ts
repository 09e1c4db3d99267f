import { readSeason, seasonPattern } from "./seasons.ts"
import * as time from "./time-reference.ts"

/** Full and short names of the months and weekdays, as patterns. */
const months = `jan(?:uary)? feb(?:ruary)? mar(?:ch)? apr(?:il)? may june? july? aug(?:ust)? sept?(?:ember)? oct(?:ober)?
  nov(?:ember)? dec(?:ember)?`.split(/\s+/)
const weekdays =
  "sun(?:day)? mon(?:day)? tue(?:s(?:day)?)? wed(?:nesday)? thu(?:r(?:s(?:day)?)?)? fri(?:day)? sat(?:urday)?".split(" ")

const monthPattern = `(?:${months.join("|")})`
const weekdayPattern = `(?:${weekdays.join("|")})`

/** The month, 1 to 12, of a name that {@link monthPattern} matched. */
const monthOf = (name: string): number => months.findIndex((month) => month.slice(0, 3) === name.slice(0, 3)) + 1

/** The weekday, 0 for Sunday, of a name that {@link weekdayPattern} matched. */
const weekdayOf = (name: string): number => weekdays.findIndex((weekday) => weekday.slice(0, 3) === name.slice(0, 3))

const day = "(?<date>\\d{1,2})(?:st|nd|rd|th)?"
const month = `(?<month>${monthPattern})\\b\\.?`
const year = "(?<year>(?:19|20)\\d\\d)"

function readDate({ year, month = "", date }: Readonly<Record<string, string | undefined>>): time.TimeReference | undefined {
  const number = /^\d/.test(month) ? Number(month) : monthOf(month)
  if (number < 1 || number > 12) return undefined
  if (year === undefined) {
    const at = number * 100 + Number(date)
    return Number(date) >= 1 && Number(date) <= 31 ? time.partOfYear(at, at) : undefined
  }
  return date === undefined ? time.monthSpan(Number(year), number) : time.dateSpan(Number(year), number, Number(date))
}

/** Dates in figures and with English month names, longest forms first. `3/4/2023` may mean March or April: it gives both. */
export const dateRules: readonly time.TimeRule[] = [
  time.timeRule(`(?<![\\d.])${year}[-/.](?<month>\\d{1,2})[-/.](?<date>\\d{1,2})(?!\\d)`, readDate),
  time.timeRule(`(?<![\\d.])${year}[-/](?<month>\\d{1,2})(?![\\d-/])`, readDate),
  time.timeRule(`(?<![\\d.])(?<one>\\d{1,2})[/.](?<other>\\d{1,2})[/.]${year}(?!\\d)`, ({ one, other, year }) =>
    [readDate({ year, month: one, date: other }), readDate({ year, month: other, date: one })].filter(
      (reference) => reference !== undefined,
    ),
  ),
  time.timeRule(`\\b${day} (?:of )?${month},? (?:of )?${year}\\b`, readDate),
  time.timeRule(`\\b${month} ${day},? ${year}\\b`, readDate),
  time.timeRule(`\\b${month},? (?:of )?${year}\\b`, readDate),
  time.timeRule(`\\b${day} (?:of )?${month}(?![a-z])`, readDate),
  time.timeRule(`\\b${month} (?:the )?${day}\\b`, readDate),
]

const vagueCounts: Readonly<Record<string, number>> = { a: 1, an: 1, couple: 2, few: 3, several: 4 }
const numberWords = "zero one two three four five six seven eight nine ten eleven twelve".split(" ")

/** Matches a count in English words or figures. */
const countPattern =
  "(?:\\d{1,4}|a couple(?: of)?|couple of|a few|few|several|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"

function readCount(text: string): number {
  const word = text.replace(/^a (?=\w)| of$/g, "")
  const number = numberWords.indexOf(word)
  return vagueCounts[word] ?? (number > 0 ? number : Number(word))
}

const unit = "(?<unit>day|week|month|year)s?"
const unitOf = (name: string | undefined) => name as time.TimeUnit
const which = "(?<which>last|past|previous|this|next|coming)"
const steps = (which: string | undefined) => (which === "this" ? 0 : which === "next" || which === "coming" ? 1 : -1)

/** The last such weekday before today; with `next` or `coming` the first one after it; with `this` the one in the week of today. */
function weekdayNear(name: string, which: string | undefined, { day, weekday }: time.Today) {
  const back = (weekday - weekdayOf(name) + 7) % 7 || 7
  if (which === "next" || which === "coming") return time.span(day + 7 - (back % 7))
  if (which === "this") return time.span(day + ((weekdayOf(name) + 6) % 7) - ((weekday + 6) % 7))
  return time.span(day - back)
}

function monthNear(name: string, which: string | undefined, { year, month }: time.Today) {
  const number = monthOf(name)
  if (which === "this") return time.monthSpan(year, number)
  if (which === "next" || which === "coming") return time.monthSpan(number > month ? year : year + 1, number)
  return time.monthSpan(number < month ? year : year - 1, number)
}

function unitNear(unit: string | undefined, which: string | undefined, { day, year, month }: time.Today) {
  if (unit === "week") return time.weekSpan(day, steps(which))
  return unit === "month" ? time.monthSpan(year, month + steps(which)) : time.yearSpan(year + steps(which))
}

/** English expressions of time without a date, such as `two weeks ago`, `last summer` and `on Mondays`. */
export const englishRules: readonly time.TimeRule[] = [
  time.timeRule(/\bthe day before yesterday\b/, (_, { day }) => time.span(day - 2)),
  time.timeRule(/\bthe day after tomorrow\b/, (_, { day }) => time.span(day + 2)),
  time.timeRule(/\b(?:yesterday|last (?:night|evening))\b/, (_, { day }) => time.span(day - 1)),
  time.timeRule(/\btomorrow\b/, (_, { day }) => time.span(day + 1)),
  time.timeRule(/\b(?:today|tonight|this (?:morning|afternoon|evening)|right now)\b/, (_, { day }) => time.span(day)),
  time.timeRule(`\\b(?<count>${countPattern}) ${unit} (?:ago|earlier|back|before)\\b`, ({ count = "", unit }, { day }) =>
    time.unitsAgo(day, readCount(count), unitOf(unit)),
  ),
  time.timeRule(`\\b(?<count>${countPattern}) weekends? ago\\b`, ({ count = "" }, { day }) =>
    time.weekendSpan(day, -Math.min(readCount(count), 5_000)),
  ),
  time.timeRule(`\\bin (?<count>${countPattern}) ${unit}\\b`, ({ count = "", unit }, { day }) =>
    time.unitsAgo(day, -readCount(count), unitOf(unit)),
  ),
  time.timeRule(`\\b(?:last|past|previous) (?<count>${countPattern}) ${unit}\\b`, ({ count = "", unit }, { day }) =>
    time.span(Math.round(day - readCount(count) * time.unitDays[unitOf(unit)]), day),
  ),
  time.timeRule(/\bthe other day\b/, (_, { day }) => time.span(day - 7, day - 1)),
  time.timeRule(/\b(?:recently|time.lately|these days)\b/, (_, { day }) => time.lately(day, 21)),
  time.timeRule(`\\b${which} weekend\\b`, ({ which }, { day }) => time.weekendSpan(day, steps(which))),
  time.timeRule(`\\b${which} (?<unit>week|month|year)\\b`, ({ which, unit }, today) => unitNear(unit, which, today)),
  time.timeRule(`\\b${which} (?<name>${weekdayPattern})\\b`, ({ which, name = "" }, today) => weekdayNear(name, which, today)),
  time.timeRule(`\\b${which} (?<name>${monthPattern})\\b`, ({ which, name = "" }, today) => monthNear(name, which, today)),
  time.timeRule(
    `\\b(?:${which} )?(?<season>${seasonPattern})(?:,? (?:of |in )?(?<year>(?:19|20)\\d\\d))?\\b`,
    ({ which, season = "", year }, today) =>
      readSeason(season, year === undefined ? undefined : Number(year), which && steps(which), today),
  ),
  time.timeRule(
    `\\b(?:in|of|since|during|by|early|late|mid|until|around|throughout)[ -](?<name>${monthPattern})\\b`,
    ({ name = "" }) => time.partOfYear(monthOf(name) * 100 + 1, monthOf(name) * 100 + 31),
  ),
  time.timeRule(/\bweekends?\b/, () => time.onWeekdays(0, 6)),
  time.timeRule(/\b(?<name>sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?\b/, ({ name = "" }) =>
    time.onWeekdays(weekdayOf(name)),
  ),
  time.timeRule(/\b(?:in|since|during|from|by|year|until|before|after|back in) (?<year>(?:19|20)\d\d)\b/, ({ year }) =>
    time.yearSpan(Number(year)),
  ),
]
