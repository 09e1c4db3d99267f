import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { Timers } from "../../core/ports.ts"
import { runAttempt } from "../../services/in-memory-store/run-attempt.ts"
import type { JobHandler } from "../../services/job-runner.ts"
import { retryWaitMs } from "../../services/job-settings.ts"
import type { ClaimedJob, ClaimedJobs } from "./claimed-jobs.ts"
import { heartbeatMs } from "./job-engine.ts"
import type { PostgresSettings } from "./postgres-options.ts"

interface Running {
  readonly claimed: ClaimedJob
  readonly settled: Promise<void>
  stop: (reason: StopReason) => void
}

/** The jobs that this process runs. */
interface RunningJobs {
  readonly size: number
  /** Their ids. */
  readonly ids: readonly string[]
  run(claimed: ClaimedJob, handler: JobHandler | undefined): void
  /** Stops those that are no longer this process'. */
  verify(): Promise<void>
  /** Settles when those of an agent, or all, have; past `drainMs` they are stopped. */
  drain(options: { readonly drainMs: number; readonly agent?: string }): Promise<void>
  /** Settles when all that run now have. */
  settled(): Promise<void>
}

/** None yet. */
export function runningJobs(
  options: Omit<RunOptions, "onStop"> & { readonly onSettled: () => void; readonly onFault: (error: unknown) => void },
): RunningJobs {
  const { claims, settings, onSettled, onFault } = options
  const running = new Set<Running>()
  const settled = async (jobs: Iterable<Running>): Promise<void> => {
    await Promise.all(Array.from(jobs, (job) => job.settled))
  }

  return {
    get size() {
      return running.size
    },
    get ids() {
      return Array.from(running, ({ claimed }) => claimed.id)
    },
    run(claimed, handler) {
      let stop: Running["stop"] = () => undefined
      const task = runClaimedJob(claimed, handler, { ...options, onStop: (give) => (stop = give) })
        .catch(onFault)
        .finally(() => {
          running.delete(entry)
          onSettled()
        })
      const entry: Running = { claimed, settled: task, stop: (reason) => stop(reason) }
      running.add(entry)
    },
    async verify() {
      for (const { claimed, stop } of [...running]) if (!(await claims.heartbeat(claimed))) stop("gone")
    },
    async drain({ drainMs, agent }) {
      const ours = [...running].filter(({ claimed }) => agent === undefined || claimed.job.key.agent === agent)
      const timer = settings.timers.set(() => {
        for (const { stop } of ours) stop("closed")
      }, drainMs)
      await settled(ours)
      settings.timers.clear(timer)
    },
    settled: () => settled(running),
  }
}

/** What one try of a job needs. */
interface RunOptions {
  readonly claims: ClaimedJobs
  readonly settings: Pick<PostgresSettings, "jobs" | "timers" | "random" | "onWarning">
  /** Told how to make the runner give up on it. */
  readonly onStop: (stop: (reason: StopReason) => void) => void
  /** Told when it is due again. */
  readonly onRetry: (waitMs: number) => void
}

/** Why a runner gives up on a job: the runner closes, or the job is no longer its own. */
type StopReason = "closed" | "gone"

const stopErrors: Readonly<Record<StopReason, PromptStrataError>> = {
  closed: new PromptStrataError("closed", "The job runner was closed before this job was done; it stays for the next one."),
  gone: new PromptStrataError("aborted", "What this job works on was forgotten, or another process has taken it over."),
}

/** Runs one try and settles the job: done, to be tried again, or a dead letter. Throws only what settling throws. */
async function runClaimedJob(claimed: ClaimedJob, handler: JobHandler | undefined, options: RunOptions): Promise<void> {
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

/** Calls again and again, each time after the one before has settled. */
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
