import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { JobContext } from "../services/background/background-job.ts"
import type { Job, JobAttempt, JobHandlers } from "../services/store/job-runner.ts"
import type { Receipt, ReceiptOutcome } from "../services/store/receipt.ts"
import type { AgentParts } from "./agent-parts.ts"

/** Handlers for the kinds of jobs that an agent has, each done by the job of that kind as the latest profile has it. */
export function jobHandlers(latest: () => AgentParts): JobHandlers {
  const kinds = latest().jobs.map(({ kind }) => kind)
  return Object.fromEntries(kinds.map((kind) => [kind, (job: Job, attempt: JobAttempt) => runJob(latest(), job, attempt)]))
}

const badOutcomes: readonly ReceiptOutcome[] = ["timeout", "failed", "parse-error"]

/** What goes wrong is told each time, and thrown, so that the store's runner tries again. */
async function runJob(parts: AgentParts, job: Job, attempt: JobAttempt): Promise<void> {
  const { key, turnId, kind } = job
  const { signal, isLast } = attempt
  const tell = (error: unknown): void => {
    const after = isLast ? "it is a dead letter now" : "it is tried again"
    parts.onWarning({
      key,
      turnId,
      message: `The job ${kind} failed (attempt ${attempt.attempt}, ${after}): ${messageOf(error)}`,
    })
  }
  // One that hangs never throws.
  const onAbort = (): void => (isMeant(signal.reason) ? undefined : tell(signal.reason))
  signal.addEventListener("abort", onAbort, { once: true })
  try {
    const found = parts.jobs.find((each) => each.kind === kind)
    if (found === undefined) throw new Error("the profile has no such job any more")
    await found.run(job, jobContext(parts, job, attempt))
  } catch (error) {
    if (!signal.aborted && (isLast || !isToldByReceipts(error))) tell(error)
    throw error
  } finally {
    signal.removeEventListener("abort", onAbort)
  }
}

/** True where nothing went wrong: the runner was closed, or what the job works on was forgotten. */
function isMeant(reason: unknown): boolean {
  return PromptStrataError.isInstance(reason) && (reason.code === "closed" || reason.code === "aborted")
}

function isToldByReceipts(error: unknown): boolean {
  return PromptStrataError.isInstance(error) && error.code === "background"
}

function jobContext({ store, receipts, ask, ports, onWarning }: AgentParts, job: Job, attempt: JobAttempt): JobContext {
  const { key, turnId } = job
  return {
    ...attempt,
    ports,
    ask,
    post: (note) => store.post(key, note),
    messages: (filter) => store.messages(key, filter),
    async receipt(given) {
      const nowMs = ports.clock.nowMs()
      const receipt: Receipt = { attempt: attempt.attempt, startedMs: nowMs, durationMs: 0, ...given, key, turnId }
      await receipts.put(receipt)
      const { kind, outcome, message } = receipt
      if (badOutcomes.includes(outcome))
        onWarning({ key, turnId, message: `${kind} after the turn: ${outcome}, ${message ?? "no reason given"}` })
    },
  }
}
