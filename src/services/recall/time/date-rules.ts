import { monthOf, monthPattern } from "./month-names.ts"
import { dateSpan, monthSpan, partOfYear, type TimeReference } from "./time-reference.ts"
import type { TimeRule } from "./time-rule.ts"

const day = "(?<date>\\d{1,2})(?:st|nd|rd|th)?"
const month = `(?<month>${monthPattern})\\b\\.?`
const year = "(?<year>(?:19|20)\\d\\d)"

function readDate({ year, month = "", date }: Readonly<Record<string, string | undefined>>): TimeReference | undefined {
  const number = /^\d/.test(month) ? Number(month) : monthOf(month)
  if (number < 1 || number > 12) return undefined
  if (year === undefined) {
    const at = number * 100 + Number(date)
    return Number(date) >= 1 && Number(date) <= 31 ? partOfYear(at, at) : undefined
  }
  return date === undefined ? monthSpan(Number(year), number) : dateSpan(Number(year), number, Number(date))
}

/** Dates in figures and in English, the longest forms first. */
export const dateRules: readonly TimeRule[] = [
  { pattern: new RegExp(`(?<![\\d.])${year}[-/.](?<month>\\d{1,2})[-/.](?<date>\\d{1,2})(?!\\d)`, "g"), read: readDate },
  { pattern: new RegExp(`(?<![\\d.])${year}[-/](?<month>\\d{1,2})(?![\\d-/])`, "g"), read: readDate },
  {
    pattern: new RegExp(`(?<![\\d.])(?<one>\\d{1,2})[/.](?<other>\\d{1,2})[/.]${year}(?!\\d)`, "g"),
    read: ({ one, other, year }) =>
      [readDate({ year, month: one, date: other }), readDate({ year, month: other, date: one })].filter(
        (reference) => reference !== undefined,
      ),
  },
  { pattern: new RegExp(`\\b${day} (?:of )?${month},? (?:of )?${year}\\b`, "g"), read: readDate },
  { pattern: new RegExp(`\\b${month} ${day},? ${year}\\b`, "g"), read: readDate },
  { pattern: new RegExp(`\\b${month},? (?:of )?${year}\\b`, "g"), read: readDate },
  { pattern: new RegExp(`\\b${day} (?:of )?${month}(?![a-z])`, "g"), read: readDate },
  { pattern: new RegExp(`\\b${month} (?:the )?${day}\\b`, "g"), read: readDate },
]
