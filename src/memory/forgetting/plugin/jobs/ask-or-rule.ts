import { defined, type Injection } from "../../../../core/value.ts"
import type { JobContext } from "../../../services/background/background-job.ts"

/** A question to a model, with a rule that answers in its place. */
interface Question<T> {
  /** The kind of the receipt. */
  readonly kind: string
  readonly prompt: string
  readonly data: readonly Injection[]
  /** Reads the model's answer; undefined for one that cannot be read. */
  readonly read: (answer: string) => T | undefined
  readonly rule: () => T
}

/**
 * Asks the model and writes a receipt. The rule answers when the model's answer cannot be read, or when asking fails in the job's last
 * attempt. An earlier failure is thrown, so that the job is tried again.
 */
export async function askOrRule<T>(
  { ask, signal, isLast, receipt }: Pick<JobContext, "ask" | "signal" | "isLast" | "receipt">,
  { kind, prompt, data, read, rule }: Question<T>,
): Promise<T> {
  let answer: Awaited<ReturnType<typeof ask>>
  try {
    answer = await ask(prompt, data, { signal })
  } catch (thrown) {
    if (!isLast) throw thrown
    await receipt({ kind, outcome: "failed", message: "the model failed; written by rule" })
    return rule()
  }
  const { text, model, usage, estimate } = answer
  const value = read(text)
  await receipt({ kind, outcome: value === undefined ? "parse-error" : "ok", ...defined({ model, usage, estimate }) })
  return value ?? rule()
}
