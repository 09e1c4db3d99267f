import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { Ports, Timers } from "../core/ports.ts"
import { within } from "../core/timers.ts"
import type { JobContext } from "../services/background/background-job.ts"
import type { Plugin } from "../services/plugin.ts"
import type { Job, JobAttempt, JobHandlers, JobRunner } from "../services/store/job-runner.ts"
import type { Receipt, ReceiptOutcome } from "../services/store/receipt.ts"
import type { AgentContext } from "../turn/turn-context.ts"
import type { ObserverFeeds } from "./observers/observers.ts"

/** Everything that an agent has under way: turns, hooks after them, observers, jobs. */
interface AgentWork {
  /** Settles when nothing runs or waits; jobs that wait for a later try are not waited for. */
  idle(): Promise<void>
  /** Waits for turns and what follows them; jobs of this process that take too long, or a store that was closed before, are reported. */
  close(): Promise<void>
}

/** Starts the agent's jobs, unless another process does them; those included that an earlier process left in the store. */
export function agentWork(
  shared: Pick<AgentContext, "turns" | "background" | "runner" | "ports" | "onWarning">,
  made: {
    readonly agent: string
    readonly watching: readonly ObserverFeeds[]
    readonly latest: () => AgentContext
    readonly runJobs: boolean
  },
): AgentWork {
  const { turns, background, runner, ports, onWarning } = shared
  const { agent, watching, latest, runJobs } = made
  const key = { agent, conversation: "", audience: "private", user: "" } as const
  const start = async (): Promise<void> => {
    try {
      if (runJobs) await runner.start(jobHandlers(latest), { agent })
    } catch (error) {
      onWarning({ key, turnId: "", message: `No jobs are run: ${messageOf(error)}` })
    }
  }
  const started = start()
  /** Turns first: they are what starts work in the background. ObserverFeeds last: they hear of both, and may open a turn. */
  async function conversationsIdle(): Promise<void> {
    do {
      while (turns.size + background.size > 0) {
        await turns.idle()
        await background.idle()
      }
      await Promise.all(watching.map((observers) => observers.idle()))
    } while (turns.size + background.size > 0)
  }
  async function close(): Promise<void> {
    await started
    await conversationsIdle()
    for (const observers of watching) observers.close()
    if (!runJobs) return
    const error = await closeJobs(runner, { agent, ports })
    if (error) onWarning({ key, turnId: "", message: error.message, error })
  }
  let closing: Promise<void> | undefined
  return {
    async idle() {
      await started
      do {
        await conversationsIdle()
        if (runJobs) await runner.idle()
      } while (turns.size + background.size > 0)
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}

/** How long closing waits for jobs. */
const drainMs = 30_000

/**
 * Waits for the jobs that this process runs or has left to itself, at most half a minute in all, and takes no more of its agent's.
 * Never rejects: hands over why jobs may be left that are not done; they stay in the store.
 */
async function closeJobs(
  runner: JobRunner,
  { agent, ports: { clock, timers } }: { readonly agent: string; readonly ports: Pick<Ports, "clock" | "timers"> },
): Promise<PromptStrataError | undefined> {
  const beganMs = clock.nowMs()
  const idle = await within({ timeoutMs: drainMs, signal: new AbortController().signal, timers }, () =>
    runner.idle({ own: true, agent }),
  )
  const leftMs = idle.status === "timeout" ? 0 : Math.max(0, drainMs - (clock.nowMs() - beganMs))
  let isLate = idle.status === "timeout"
  const timer = timers.set(() => {
    isLate = true
  }, leftMs)
  try {
    await runner.close({ drainMs: leftMs, agent })
  } catch (error) {
    return leftBehind(agent, error)
  } finally {
    timers.clear(timer)
  }
  if (idle.status === "failed") return leftBehind(agent, idle.error)
  return isLate ? leftBehind(agent, new Error(`they took longer than ${drainMs} ms.`)) : undefined
}

function leftBehind(agent: string, cause: unknown): PromptStrataError {
  return new PromptStrataError(
    "closed",
    `Jobs of ${JSON.stringify(agent)} that were not done when it was closed stay in its store: ${messageOf(cause)}`,
    { cause, evidence: { agent } },
  )
}

/** Handlers for the kinds of jobs that an agent has, each done by the job of that kind as the latest profile has it. */
function jobHandlers(latest: () => AgentContext): JobHandlers {
  const kinds = latest().jobs.map(({ kind }) => kind)
  return Object.fromEntries(kinds.map((kind) => [kind, (job: Job, attempt: JobAttempt) => runJob(latest(), job, attempt)]))
}

const badOutcomes: readonly ReceiptOutcome[] = ["timeout", "failed", "parse-error"]

/** What goes wrong is told each time, and thrown, so that the store's runner tries again. */
async function runJob(parts: AgentContext, job: Job, attempt: JobAttempt): Promise<void> {
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

function jobContext({ store, receipts, ask, ports, onWarning }: AgentContext, job: Job, attempt: JobAttempt): JobContext {
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

/**
 * Closes plugins side by side, each within `timeoutMs`, so that one that hangs keeps nobody from leaving. Throws what one threw, or
 * `plugin` for one that took too long; several as an `AggregateError`.
 */
export async function closePlugins(
  plugins: readonly Plugin[],
  { timers, timeoutMs }: { readonly timers: Timers; readonly timeoutMs: number },
): Promise<void> {
  const signal = new AbortController().signal
  const failed: unknown[] = []
  const close = async (plugin: Plugin): Promise<void> => {
    const outcome = await within({ timeoutMs, signal, timers }, () => plugin.close?.())
    if (outcome.status === "failed") failed.push(outcome.error)
    if (outcome.status === "timeout") failed.push(tookTooLong(plugin, timeoutMs))
  }
  await Promise.all(plugins.map(close))
  if (failed.length === 1) throw failed[0]
  if (failed.length > 1) throw new AggregateError(failed, "Several plugins could not be closed.")
}

function tookTooLong({ name }: Plugin, timeoutMs: number): PromptStrataError {
  return new PromptStrataError(
    "plugin",
    `expected the plugin ${JSON.stringify(name)} to close, but it was not done after ${timeoutMs} ms.`,
  )
}
