import { messageOf } from "../../../../../core/errors.ts"
import type { RandomSource } from "../../../../../core/ports.ts"
import { orAborted } from "../../../../../core/timers.ts"
import type { TurnRecord } from "../../turn-record.ts"
import type { SaidBefore } from "../question-turn.ts"
import type { FileQuestion } from "./read-questions.ts"
import type { QuestionResult, SideResult, Verdict } from "./results.ts"

/** Questions that run at the same time, each by both agents. */
const atOnce = 2

/** Everything that {@link runQuestions} needs. */
interface QuestionRun {
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

/** Two answers to a question, in an order that does not tell whose they are. */
export interface JudgeTask {
  readonly question: string
  readonly history?: readonly SaidBefore[] | undefined
  /** The answer that the question's author expects, if there is one. */
  readonly expected?: string | undefined
  readonly answers: readonly [first: string, second: string]
  /** Aborts when nobody waits for the word any more. */
  readonly signal: AbortSignal
}

/** Compares two answers: 0 if the first one is better, 1 if the second one is, and what lies between. */
export type Judge = (task: JudgeTask) => number | Promise<number>

/** A side of a comparison. */
type Side = "a" | "b"

/**
 * The side that is shown first, for each question: by chance, but each side equally often. So a judge that prefers a place prefers no
 * side.
 */
export function ordersOf(count: number, random: RandomSource): readonly Side[] {
  const orders: Side[] = []
  for (let at = 0; at < count; at++) orders.push(at % 2 === 0 ? (random() < 0.5 ? "a" : "b") : orders[at - 1] === "a" ? "b" : "a")
  return orders
}

/** The word of a judge about two answers, of which `first` is shown first. A failure of the judge is a word, too. */
export async function judgeAnswers(
  judge: Judge,
  {
    answers,
    first,
    ...task
  }: Omit<JudgeTask, "answers"> & { readonly answers: Readonly<Record<Side, string>>; readonly first: Side },
): Promise<Verdict> {
  const shown = first === "a" ? ([answers.a, answers.b] as const) : ([answers.b, answers.a] as const)
  try {
    const found: unknown = await orAborted(
      Promise.resolve().then(() => judge({ ...task, answers: shown })),
      task.signal,
    )
    if (typeof found !== "number" || !(found >= 0 && found <= 1))
      return { problem: `Expected a number from 0 to 1 of the judge, found ${String(found)}.` }
    return { score: first === "a" ? found : 1 - found, first }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}
