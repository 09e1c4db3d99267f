import { chineseRules } from "./chinese-rules.ts"
import { dateRules } from "./date-rules.ts"
import { englishRules } from "./english-rules.ts"
import type { TimeReference } from "./time-reference.ts"
import { type TimeRule, type Today, todayOf } from "./time-rule.ts"

/** An expression of time where it stands in a normalised text. */
export interface FoundTime {
  readonly start: number
  readonly end: number
  readonly references: readonly TimeReference[]
}

const maxFound = 16
const hasHan = /\p{sc=Han}/u
const hasLetterOrDigit = /[a-z\d]/

/** The expressions of time in a normalised text, counted from a day; no two overlap, and what is longer goes first. */
export function findTimes(text: string, day: number): FoundTime[] {
  const rules = [
    ...(/\d/.test(text) || hasLetterOrDigit.test(text) ? dateRules : []),
    ...(hasLetterOrDigit.test(text) ? englishRules : []),
    ...(hasHan.test(text) ? chineseRules : []),
  ]
  const found: FoundTime[] = []
  const today = todayOf(day)
  for (const rule of rules) readRule(rule, text, today, found)
  return found.sort((a, b) => a.start - b.start)
}

function readRule(rule: TimeRule, text: string, today: Today, found: FoundTime[]): void {
  for (const match of text.matchAll(rule.pattern)) {
    if (found.length >= maxFound) return
    const [start, end] = [match.index, match.index + match[0].length]
    if (found.some((other) => start < other.end && other.start < end)) continue
    const read = rule.read(match.groups ?? {}, today)
    const references = read === undefined ? [] : [read].flat()
    if (references.length > 0) found.push({ start, end, references: references as readonly TimeReference[] })
  }
}
