import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import type { Timers } from "../../../core/ports.ts"
import { retryWaitMs, runAttempt, runnerClosed } from "../../../memory/services/store/job-attempt.ts"
import type { JobHandler } from "../../../memory/services/store/job-runner.ts"
import type { ClaimedJob, ClaimedJobs } from "./claimed-jobs.ts"
import { heartbeatMs } from "./job-engine.ts"
import type { PostgresSettings } from "./postgres-options.ts"

/** The parts of {@link RunningJobs}. */
interface RunningJobsParts {
  readonly claims: ClaimedJobs
  readonly settings: Pick<PostgresSettings, "jobs" | "timers" | "random" | "onWarning">
  /** Called when a job has been settled. */
  readonly onSettled: () => void
  /** Called with the wait before a failed job is due again. */
  readonly onRetry: (waitMs: number) => void
  /** Called with an error of settling a job. */
  readonly onFault: (error: unknown) => void
}

interface Running {
  readonly claimed: ClaimedJob
  readonly settled: Promise<void>
  stop: (reason: StopReason) => void
}

/** Why an attempt is stopped: the runner closes, or this process no longer holds the job. */
type StopReason = "closed" | "gone"

const stopErrors: Readonly<Record<StopReason, PromptStrataError>> = {
  closed: runnerClosed(),
  gone: new PromptStrataError(
    "aborted",
    "The data that this job works on were deleted, or another process has taken the job over.",
  ),
}

/** The jobs that this process runs. */
export class RunningJobs {
  readonly #parts: RunningJobsParts
  readonly #running = new Set<Running>()

  constructor(parts: RunningJobsParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#running.size
  }

  get ids(): readonly string[] {
    return Array.from(this.#running, ({ claimed }) => claimed.id)
  }

  run(claimed: ClaimedJob, handler: JobHandler | undefined): void {
    let stop: Running["stop"] = () => undefined
    const settled = this.#runAndSettle(claimed, handler, (give) => (stop = give))
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#running.delete(entry)
        this.#parts.onSettled()
      })
    const entry: Running = { claimed, settled, stop: (reason) => stop(reason) }
    this.#running.add(entry)
  }

  /** Stops jobs that this process no longer holds. */
  async verify(): Promise<void> {
    for (const { claimed, stop } of [...this.#running]) if (!(await this.#parts.claims.heartbeat(claimed))) stop("gone")
  }

  /** Waits for the jobs of an agent, or all. After `drainMs` they are stopped. */
  async drain({ drainMs, agent }: { readonly drainMs: number; readonly agent: string | undefined }): Promise<void> {
    const { timers } = this.#parts.settings
    const awaited = [...this.#running].filter(({ claimed }) => agent === undefined || claimed.job.key.agent === agent)
    const timer = timers.set(() => {
      for (const { stop } of awaited) stop("closed")
    }, drainMs)
    await Promise.all(awaited.map(({ settled }) => settled))
    timers.clear(timer)
  }

  /** Waits for all jobs that run now. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#running, ({ settled }) => settled))
  }

  /** Makes one attempt and settles the job: done, to be tried again, or a dead letter. Throws only errors of settling. */
  async #runAndSettle(claimed: ClaimedJob, handler: JobHandler | undefined, onStop: OnStop): Promise<void> {
    const { claims, settings } = this.#parts
    const { maxAttempts } = settings.jobs
    if (handler === undefined) return claims.setAside(claimed)
    if (claimed.retryCount >= maxAttempts) {
      const error = "Every process that tried it ended before it did."
      return claims.bury(claimed, { job: claimed.job, error, attempts: maxAttempts })
    }
    const failure = await this.#attempt(claimed, handler, onStop)
    if (failure === undefined) return claims.complete(claimed)
    if (failure.error === stopErrors.closed) return claims.release(claimed)
    if (failure.error !== stopErrors.gone) return this.#fail(claimed, messageOf(failure.error))
  }

  /** Returns what the attempt threw; undefined when it succeeded. */
  async #attempt(claimed: ClaimedJob, handler: JobHandler, onStop: OnStop): Promise<{ readonly error: unknown } | undefined> {
    const { claims, settings } = this.#parts
    const { timers, jobs } = settings
    const number = claimed.retryCount + 1
    let beats: { stop(): void } | undefined
    const stoppable = (stop: (reason: PromptStrataError) => void): void => {
      onStop((reason) => stop(stopErrors[reason]))
      beats = repeat(timers, heartbeatMs, async () => {
        // When the database cannot be asked, the job is taken to be still held.
        if (!(await claims.heartbeat(claimed).catch(() => true))) stop(stopErrors.gone)
      })
    }
    try {
      await runAttempt({ timeoutMs: jobs.timeoutMs, timers, onStop: stoppable }, (signal) =>
        handler(claimed.job, { attempt: number, isLast: number >= jobs.maxAttempts, signal }),
      )
      return undefined
    } catch (error) {
      return { error }
    } finally {
      beats?.stop()
      // The attempt is over: while the job is settled there is nothing to stop.
      onStop(() => undefined)
    }
  }

  async #fail(claimed: ClaimedJob, reason: string): Promise<void> {
    const { claims, settings, onRetry } = this.#parts
    const { jobs, random, onWarning } = settings
    const { job } = claimed
    const attempts = claimed.retryCount + 1
    const isLast = attempts >= jobs.maxAttempts
    const next = isLast ? "it is a dead letter now" : "it will be tried again"
    onWarning(
      `job ${JSON.stringify(job.kind)} of ${job.turnId} failed, attempt ${attempts} of ${jobs.maxAttempts}, ${next}: ${reason}`,
    )
    if (isLast) return claims.bury(claimed, { job, error: reason, attempts })
    const waitMs = retryWaitMs(attempts, jobs, random)
    await claims.fail(claimed, reason, waitMs)
    onRetry(waitMs)
  }
}

/** Takes the function that stops an attempt. */
type OnStop = (stop: (reason: StopReason) => void) => void

/** Calls `task` again and again, each time `everyMs` after the last call has settled. */
export function repeat(timers: Timers, everyMs: number, task: () => Promise<unknown> | undefined): { stop(): void } {
  let stopped = false
  let handle: unknown
  const next = () => {
    handle = timers.set(() => {
      void Promise.resolve(task()).then(() => {
        if (!stopped) next()
      })
    }, everyMs)
  }
  next()
  return {
    stop() {
      stopped = true
      timers.clear(handle)
    },
  }
}
