import type { Usage } from "../../../../../core/model/language-model.ts"
import type { TurnOutcome } from "../../turn-record.ts"
import type { FileQuestion } from "./read-questions.ts"

/** A question with the answers of both agents. */
export interface QuestionResult extends Pick<FileQuestion, "line" | "question" | "expected"> {
  readonly a: SideResult
  readonly b: SideResult
  /** Absent without a judge, and if one side has no answer. */
  readonly verdict?: Verdict | undefined
}

/** The answer of one agent, and what it took. */
export interface SideResult {
  readonly answer: string
  readonly outcome: TurnOutcome
  readonly calls: number
  /** Tokens of all its requests, as the agent counts them. */
  readonly sentTokens: number
  /** The provider's own count, as far as it tells. */
  readonly usage: Usage
  /** Absent if a price is not known. */
  readonly cost?: number | undefined
  readonly durationMs: number
}

/** The word of a judge: from 0, the left answer is better, to 1, the right one is. Or the reason why there is none. */
export type Verdict = { readonly score: number; readonly first: "a" | "b" } | { readonly problem: string }

/** The sums of one side. */
export interface SideTotals {
  readonly answered: number
  readonly failed: number
  readonly calls: number
  readonly sentTokens: number
  /** By the provider's count; absent if it tells none, as the next two. */
  readonly inputTokens?: number | undefined
  readonly cachedTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cost: number
  /** Answers whose cost is not known: they are not in `cost`. */
  readonly unpriced: number
  readonly durationMs: number
}

/** The sums of both sides, and the judge's score of the right one. */
export function totalsOf(results: readonly QuestionResult[]) {
  const scores = results.flatMap(({ verdict }) => (verdict && "score" in verdict ? verdict.score : []))
  return { a: sumUp(results.map(({ a }) => a)), b: sumUp(results.map(({ b }) => b)), score: intervalOf(scores) }
}

function sumUp(sides: readonly SideResult[]): SideTotals {
  const sum = (read: (side: SideResult) => number | undefined): number => sides.reduce((all, side) => all + (read(side) ?? 0), 0)
  const known = (read: (side: SideResult) => number | undefined): number | undefined =>
    sides.some((side) => read(side) !== undefined) ? sum(read) : undefined
  const answered = sum(({ outcome }) => Number(outcome.state === "answered"))
  return {
    ...{ answered, failed: sides.length - answered },
    calls: sum(({ calls }) => calls),
    sentTokens: sum(({ sentTokens }) => sentTokens),
    inputTokens: known(({ usage }) => usage.inputTokens),
    cachedTokens: known(({ usage }) => usage.inputCacheReadTokens),
    outputTokens: known(({ usage }) => usage.outputTokens),
    cost: sum(({ cost }) => cost),
    unpriced: sum(({ cost }) => Number(cost === undefined)),
    durationMs: sum(({ durationMs }) => durationMs),
  }
}

/** The 97.5th percentile of the normal distribution. */
const z = 1.959964

/**
 * Wilson's interval for the mean of numbers from 0 to 1: it holds the true one in 95 of 100 cases. Such numbers vary at most as much as
 * ones and zeros with their mean, so it is wide enough for halves and for few questions.
 */
export function intervalOf(scores: readonly number[]) {
  const judged = scores.length
  if (judged === 0) return undefined
  const mean = scores.reduce((sum, score) => sum + score, 0) / judged
  const weight = z ** 2 / judged
  const middle = (mean + weight / 2) / (1 + weight)
  const half = (z / (1 + weight)) * Math.sqrt((mean * (1 - mean)) / judged + weight / (4 * judged))
  return { judged, mean, low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

/** The results as a table of comma-separated values (RFC 4180). A text that a spreadsheet would compute has an apostrophe before it. */
export function csvOf(results: readonly QuestionResult[]): string {
  const names = ["answer", "outcome", "calls", "sent_tokens", "input_tokens", "cached_tokens", "output_tokens", "cost", "ms"]
  const head = ["line", "question", "expected", ...["a", "b"].flatMap((side) => names.map((name) => `${side}_${name}`))]
  const rows = results.map(({ line, question, expected, a, b, verdict }) => [
    ...[line, question, expected],
    ...[a, b].flatMap(({ answer, outcome, calls, sentTokens, usage, cost, durationMs }) => [
      ...[answer, outcome.state === "failed" ? `${outcome.code}: ${outcome.message}` : outcome.state, calls, sentTokens],
      ...[usage.inputTokens, usage.inputCacheReadTokens, usage.outputTokens, cost, durationMs],
    ]),
    ...(verdict && "score" in verdict ? [verdict.score, verdict.first, ""] : ["", "", verdict?.problem]),
  ])
  return [[...head, "score", "shown_first", "judge_problem"], ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("")
}

function cellOf(value: string | number | undefined): string {
  if (typeof value !== "string") return value === undefined ? "" : String(value)
  const text = /^[=+\-@\t\r]/u.test(value) ? `'${value}` : value
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
