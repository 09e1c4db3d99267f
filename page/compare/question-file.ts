import type { AgentComparison } from "../../src/apps/server/inspector/compare/compare-agents.ts"
import type { ComparedTurn } from "../../src/apps/server/inspector/compare/compare-turns.ts"
import type { Words } from "../words.ts"

/** A question of a file. */
export interface FileQuestion {
  /** From 1. */
  readonly line: number
  readonly question: string
  /** The answer that its author expects; only a judge reads it. */
  readonly expected?: string | undefined
}

/** The most questions of a file. */
const maxQuestions = 1_000

/**
 * Reads a question a line, or JSON Lines if the first line begins with a brace, with `question` and perhaps `expected`. Blank lines are
 * left out. Throws an error with words for people that names the first line with a mistake.
 */
export function readQuestions(file: string, words: Words): readonly FileQuestion[] {
  const lines = file.replace(/^\uFEFF/u, "").split(/\r\n|\n|\r/u)
  const isJson =
    lines
      .find((line) => line.trim() !== "")
      ?.trimStart()
      .startsWith("{") ?? false
  const questions = lines.flatMap((text, at): FileQuestion[] => {
    if (text.trim() === "") return []
    const found = isJson ? readObject(text) : { question: text.trim() }
    if (!found) throw new Error(words.badLine(at + 1))
    return [{ line: at + 1, ...found }]
  })
  if (questions.length === 0 || questions.length > maxQuestions)
    throw new Error(words.badCount(questions.length, maxQuestions.toLocaleString()))
  return questions
}

function readObject(text: string): Omit<FileQuestion, "line"> | undefined {
  try {
    const { question, expected, ...others } = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>
    const isRead = isWords(question) && (expected === undefined || isWords(expected)) && Object.keys(others).length === 0
    return isRead ? { question, expected } : undefined
  } catch {
    return undefined
  }
}

function isWords(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== ""
}

/** A question with the answers of both agents. */
export interface QuestionResult extends FileQuestion, Pick<AgentComparison, "a" | "b" | "verdict"> {}

/** The tokens of all requests of a side, as the agent counts them. */
export function sentTokens({ requests }: Pick<ComparedTurn, "requests">): number {
  return requests.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** The sums of both sides, and the judge's score of the right one. */
export function totalsOf(results: readonly QuestionResult[]) {
  const scores = results.flatMap(({ verdict }) => (verdict && "score" in verdict ? verdict.score : []))
  return { a: sumUp(results.map(({ a }) => a)), b: sumUp(results.map(({ b }) => b)), score: intervalOf(scores) }
}

function sumUp(sides: readonly ComparedTurn[]) {
  const sum = (read: (side: ComparedTurn) => number | undefined): number =>
    sides.reduce((all, side) => all + (read(side) ?? 0), 0)
  const known = (read: (side: ComparedTurn) => number | undefined): number | undefined =>
    sides.some((side) => read(side) !== undefined) ? sum(read) : undefined
  const answered = sum(({ outcome }) => Number(outcome.state === "answered"))
  return {
    ...{ answered, failed: sides.length - answered },
    calls: sum(({ calls }) => calls),
    sentTokens: sum(sentTokens),
    inputTokens: known(({ usage }) => usage.inputTokens),
    cachedTokens: known(({ usage }) => usage.inputCacheReadTokens),
    outputTokens: known(({ usage }) => usage.outputTokens),
    cost: sum(({ cost }) => cost),
    /** Answers whose cost is not known: they are not in `cost`. */
    unpriced: sum(({ cost }) => Number(cost === undefined)),
    durationMs: sum(({ durationMs }) => durationMs),
  }
}

/** The sums of one side. */
export type SideTotals = ReturnType<typeof sumUp>

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
