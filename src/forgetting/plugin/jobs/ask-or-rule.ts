import { priority } from "../../../core/priority.ts"
import type { Injection, Value } from "../../../core/value.ts"
import type { AskModel, JobContext } from "../../../services/background-job.ts"

/** Data for a background prompt, under the key of its slot. */
export function askData(key: string, content: Value, trust: Injection["trust"]): Injection {
  return { key, content, trust, priority: priority.default, role: "system", scope: "turn", enabled: true }
}

/** What became of asking a model: what was read out of its answer, or nothing where the answer could not be read. */
interface Asked<T> {
  readonly value: T | undefined
  readonly model: string
  readonly usage?: Awaited<ReturnType<AskModel>>["usage"]
}

/**
 * Asks the model, and falls back to a rule where its answer cannot be read, or where it failed on the job's last attempt; an earlier
 * failure is thrown, so that the job is tried again. Leaves a receipt.
 */
export async function askOrRule<T>(
  context: Pick<JobContext, "ask" | "signal" | "isLast" | "receipt">,
  {
    kind,
    prompt,
    data,
    read,
    rule,
  }: {
    readonly kind: string
    readonly prompt: string
    readonly data: readonly Injection[]
    readonly read: (answer: string) => T | undefined
    readonly rule: () => T
  },
): Promise<T> {
  const asked = await ask(context, { prompt, data, read })
  if (asked === undefined) {
    await context.receipt({ kind, outcome: "failed", message: "the model failed; written by rule" })
    return rule()
  }
  const { value, model, usage } = asked
  const outcome = value === undefined ? "parse-error" : "ok"
  await context.receipt({ kind, outcome, model, ...(usage ? { usage } : {}) })
  return value ?? rule()
}

async function ask<T>(
  { ask: askModel, signal, isLast }: Pick<JobContext, "ask" | "signal" | "isLast">,
  {
    prompt,
    data,
    read,
  }: { readonly prompt: string; readonly data: readonly Injection[]; readonly read: (answer: string) => T | undefined },
): Promise<Asked<T> | undefined> {
  try {
    const { text, model, usage } = await askModel(prompt, data, { signal })
    return { value: read(text), model, ...(usage ? { usage } : {}) }
  } catch (thrown) {
    if (!isLast) throw thrown
    return undefined
  }
}
