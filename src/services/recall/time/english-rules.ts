import { monthOf, monthPattern, weekdayOf, weekdayPattern } from "./month-names.ts"
import { countPattern, readCount } from "./numerals.ts"
import { readSeason, seasonPattern } from "./seasons.ts"
import { monthSpan, span, type TimeUnit, unitDays, unitsAgo, weekendSpan, weekSpan, yearSpan } from "./time-reference.ts"
import type { TimeRule, Today } from "./time-rule.ts"

const unit = "(?<unit>day|week|month|year)s?"
const unitOf = (name: string | undefined) => name as TimeUnit
const which = "(?<which>last|past|previous|this|next|coming)"
const steps = (which: string | undefined) => (which === "this" ? 0 : which === "next" || which === "coming" ? 1 : -1)

/** The weekday before today, or after it; "this" is the one in the week of today. */
function weekdayNear(name: string, which: string | undefined, { day, weekday }: Today) {
  const back = (weekday - weekdayOf(name) + 7) % 7 || 7
  if (which === "next" || which === "coming") return span(day + 7 - (back % 7))
  if (which === "this") return span(day + ((weekdayOf(name) + 6) % 7) - ((weekday + 6) % 7))
  return span(day - back)
}

function monthNear(name: string, which: string | undefined, { year, month }: Today) {
  const number = monthOf(name)
  if (which === "this") return monthSpan(year, number)
  if (which === "next" || which === "coming") return monthSpan(number > month ? year : year + 1, number)
  return monthSpan(number < month ? year : year - 1, number)
}

function unitNear(unit: TimeUnit, which: string | undefined, { day, year, month }: Today) {
  if (unit === "week") return weekSpan(day, steps(which))
  if (unit === "month") return monthSpan(year, month + steps(which))
  return unit === "year" ? yearSpan(year + steps(which)) : span(day + steps(which))
}

/** What English says of time without a date. */
export const englishRules: readonly TimeRule[] = [
  { pattern: /\bthe day before yesterday\b/g, read: (_, { day }) => span(day - 2) },
  { pattern: /\bthe day after tomorrow\b/g, read: (_, { day }) => span(day + 2) },
  { pattern: /\b(?:yesterday|last (?:night|evening))\b/g, read: (_, { day }) => span(day - 1) },
  { pattern: /\btomorrow\b/g, read: (_, { day }) => span(day + 1) },
  { pattern: /\b(?:today|tonight|this (?:morning|afternoon|evening)|right now)\b/g, read: (_, { day }) => span(day) },
  {
    pattern: new RegExp(`\\b(?<count>${countPattern}) ${unit} (?:ago|earlier|back|before)\\b`, "g"),
    read: ({ count = "", unit }, { day }) => unitsAgo(day, readCount(count), unitOf(unit)),
  },
  {
    pattern: new RegExp(`\\b(?<count>${countPattern}) weekends? ago\\b`, "g"),
    read: ({ count = "" }, { day }) => weekendSpan(day, -Math.min(readCount(count), 5_000)),
  },
  {
    pattern: new RegExp(`\\bin (?<count>${countPattern}) ${unit}\\b`, "g"),
    read: ({ count = "", unit }, { day }) => unitsAgo(day, -readCount(count), unitOf(unit)),
  },
  {
    pattern: new RegExp(`\\b(?:last|past|previous) (?<count>${countPattern}) ${unit}\\b`, "g"),
    read: ({ count = "", unit }, { day }) => span(Math.round(day - readCount(count) * unitDays[unitOf(unit)]), day),
  },
  { pattern: /\bthe other day\b/g, read: (_, { day }) => span(day - 7, day - 1) },
  { pattern: /\b(?:recently|lately|these days)\b/g, read: (_, { day }) => span(day - 21, day) },
  { pattern: new RegExp(`\\b${which} weekend\\b`, "g"), read: ({ which }, { day }) => weekendSpan(day, steps(which)) },
  {
    pattern: new RegExp(`\\b${which} (?<unit>week|month|year)\\b`, "g"),
    read: ({ which, unit }, today) => unitNear(unitOf(unit), which, today),
  },
  {
    pattern: new RegExp(`\\b${which} (?<name>${weekdayPattern})\\b`, "g"),
    read: ({ which, name = "" }, today) => weekdayNear(name, which, today),
  },
  {
    pattern: new RegExp(`\\b${which} (?<name>${monthPattern})\\b`, "g"),
    read: ({ which, name = "" }, today) => monthNear(name, which, today),
  },
  {
    pattern: new RegExp(`\\b(?:${which} )?(?<season>${seasonPattern})(?:,? (?:of |in )?(?<year>(?:19|20)\\d\\d))?\\b`, "g"),
    read: ({ which, season = "", year }, today) =>
      readSeason(season, year === undefined ? undefined : Number(year), which && steps(which), today),
  },
  {
    pattern: new RegExp(
      `\\b(?:in|of|since|during|by|early|late|mid|until|around|throughout)[ -](?<name>${monthPattern})\\b`,
      "g",
    ),
    read: ({ name = "" }) => ({ kind: "yearly", from: monthOf(name) * 100 + 1, to: monthOf(name) * 100 + 31 }),
  },
  { pattern: /\bweekends?\b/g, read: () => ({ kind: "weekdays", weekdays: [0, 6] }) },
  {
    pattern: /\b(?<name>sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?\b/g,
    read: ({ name = "" }) => ({ kind: "weekdays", weekdays: [weekdayOf(name)] }),
  },
  {
    pattern: /\b(?:in|since|during|from|by|year|until|before|after|back in) (?<year>(?:19|20)\d\d)\b/g,
    read: ({ year }) => yearSpan(Number(year)),
  },
]
