import type { RandomSource } from "../../../../../core/ports.ts"
import type { TurnRecord } from "../../turn-record.ts"
import { type Judge, judgeAnswers, ordersOf } from "./judge.ts"
import type { FileQuestion } from "./read-questions.ts"
import type { QuestionResult, SideResult } from "./results.ts"

/** Questions that run at the same time, each by both agents. */
const atOnce = 2

/** Everything that {@link runQuestions} needs. */
export interface QuestionRun {
  readonly questions: readonly FileQuestion[]
  /** Asks both agents. Must settle soon after the signal aborts. */
  readonly ask: (question: FileQuestion) => Promise<readonly [a: TurnRecord, b: TurnRecord]>
  readonly judge: Judge | undefined
  readonly random: RandomSource
  readonly signal: AbortSignal
  readonly onResult: (result: QuestionResult) => void
}

/** Asks each question, two at a time. Resolves when nothing of it runs any more; when `signal` aborts, no further one begins. */
export async function runQuestions({ questions, ask, judge, random, signal, onResult }: QuestionRun): Promise<void> {
  const orders = ordersOf(questions.length, random)
  let next = 0
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const at = next++
      const asked = questions[at]
      if (!asked) return
      const { line, question, expected, history } = asked
      const [a, b] = (await ask(asked)).map(sideOf) as [SideResult, SideResult]
      if (signal.aborted) return
      const isJudged = judge && a.outcome.state === "answered" && b.outcome.state === "answered"
      const answers = { a: a.answer, b: b.answer }
      const verdict = isJudged
        ? await judgeAnswers(judge, { question, history, expected, answers, first: orders[at] ?? "a", signal })
        : undefined
      if (!signal.aborted) onResult({ line, question, expected, a, b, verdict })
    }
  }
  const workers = Array.from({ length: atOnce }, () =>
    work().catch((error: unknown) => {
      next = questions.length
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
}

function sideOf({ answer, outcome, requests, usage, cost, durationMs = 0 }: TurnRecord): SideResult {
  const sentTokens = requests.reduce((sum, { tokens, overheadTokens }) => sum + tokens + overheadTokens, 0)
  return { answer, outcome, calls: requests.length, sentTokens, usage, cost, durationMs }
}
