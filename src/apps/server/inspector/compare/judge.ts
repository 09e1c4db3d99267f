import { messageOf } from "../../../../core/errors.ts"
import type { RandomSource } from "../../../../core/ports.ts"
import { orAborted } from "../../../../core/timers.ts"

/** Two answers to a question, in an order that does not tell whose they are. */
export interface JudgeTask {
  readonly question: string
  /** The answer that the question's author expects, if there is one. */
  readonly expected?: string | undefined
  readonly answers: readonly [first: string, second: string]
  /** Aborts when nobody waits for the word any more. */
  readonly signal: AbortSignal
}

/** Compares two answers: 0 if the first one is better, 1 if the second one is, and what lies between. */
export type Judge = (task: JudgeTask) => number | Promise<number>

/** The word of a judge: from 0, the left answer is better, to 1, the right one is. Or the reason why there is none. */
export type Verdict = { readonly score: number; readonly first: "a" | "b" } | { readonly problem: string }

/** The word of a judge about two answers, of which either is shown first by chance. A failure of the judge is a word, too. */
export async function judgeAnswers(
  judge: Judge,
  { a, b, ...task }: Omit<JudgeTask, "answers"> & { readonly a: string; readonly b: string },
  random: RandomSource,
): Promise<Verdict> {
  const first = random() < 0.5 ? "a" : "b"
  const answers = first === "a" ? ([a, b] as const) : ([b, a] as const)
  try {
    const found: unknown = await orAborted(
      Promise.resolve().then(() => judge({ ...task, answers })),
      task.signal,
    )
    if (typeof found !== "number" || !(found >= 0 && found <= 1))
      return { problem: `Expected a number from 0 to 1 of the judge, found ${String(found)}.` }
    return { score: first === "a" ? found : 1 - found, first }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}
