import { lazyPattern } from "../../../../core/lazy-pattern.ts"
import { chineseRules } from "./chinese-rules.ts"
import { dateRules, englishRules } from "./english-rules.ts"
import { type TimeReference, type TimeRule, type Today, todayOf } from "./time-reference.ts"

/** An expression of time, with its place in a normalised text. */
export interface FoundTime {
  readonly start: number
  readonly end: number
  readonly references: readonly TimeReference[]
}

const maxFound = 16
const hasHan = lazyPattern(String.raw`\p{sc=Han}`, "u")
const hasLetterOrDigit = /[a-z\d]/

/** Finds expressions of time in a normalised text, counted from a day. They are ordered by place and do not overlap; rules that stand first win. */
export function findTimes(text: string, day: number): FoundTime[] {
  const rules = [
    ...(hasLetterOrDigit.test(text) ? [...dateRules, ...englishRules] : []),
    ...(hasHan().test(text) ? chineseRules : []),
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
