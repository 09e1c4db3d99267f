import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { type JobHandler, retryWaitMs, runAttempt } from "../../services/store/job-runner.ts"
import type { ClaimedJob, ClaimedJobs } from "./claimed-jobs.ts"
import { heartbeatMs } from "./job-engine.ts"
import type { PostgresSettings } from "./postgres-options.ts"
import { repeat } from "./repeat.ts"

/** What one try of a job needs. */
export interface RunOptions {
  readonly claims: ClaimedJobs
  readonly settings: Pick<PostgresSettings, "jobs" | "timers" | "random" | "onWarning">
  /** Told how to make the runner give up on it. */
  readonly onStop: (stop: (reason: StopReason) => void) => void
  /** Told when it is due again. */
  readonly onRetry: (waitMs: number) => void
}

/** Why a runner gives up on a job: the runner closes, or the job is no longer its own. */
export type StopReason = "closed" | "gone"

const stopErrors: Readonly<Record<StopReason, PromptStrataError>> = {
  closed: new PromptStrataError("closed", "The job runner was closed before this job was done; it stays for the next one."),
  gone: new PromptStrataError("aborted", "What this job works on was forgotten, or another process has taken it over."),
}

/** Runs one try and settles the job: done, to be tried again, or a dead letter. Throws only what settling throws. */
export async function runClaimedJob(claimed: ClaimedJob, handler: JobHandler | undefined, options: RunOptions): Promise<void> {
  const { claims } = options
  const { maxAttempts } = options.settings.jobs
  if (handler === undefined) return claims.setAside(claimed)
  if (claimed.retryCount >= maxAttempts) {
    const error = "Every process that tried it ended before it did."
    return claims.bury(claimed, { job: claimed.job, error, attempts: maxAttempts })
  }
  const failure = await attempt(claimed, handler, options)
  if (failure === undefined) return claims.complete(claimed)
  if (failure.error === stopErrors.closed) return claims.release(claimed)
  if (failure.error !== stopErrors.gone) return failed(claimed, messageOf(failure.error), options)
}

/** What it threw; undefined where it ended well. */
async function attempt(
  claimed: ClaimedJob,
  handler: JobHandler,
  { claims, settings, onStop }: RunOptions,
): Promise<{ readonly error: unknown } | undefined> {
  const { timers, jobs } = settings
  const number = claimed.retryCount + 1
  let beats: { stop(): void } | undefined
  const stoppable = (stop: (reason: PromptStrataError) => void): void => {
    onStop((reason) => stop(stopErrors[reason]))
    const beat = async (): Promise<void> => {
      // A database that cannot be asked has not taken the job away.
      if (!(await claims.heartbeat(claimed).catch(() => true))) stop(stopErrors.gone)
    }
    beats = repeat(timers, heartbeatMs, beat)
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
    // What is done is only settled now: nothing is left to give up.
    onStop(() => undefined)
  }
}

async function failed(claimed: ClaimedJob, reason: string, { claims, settings, onRetry }: RunOptions): Promise<void> {
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
