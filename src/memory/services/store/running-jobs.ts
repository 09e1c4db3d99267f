import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import type { Clock, RandomSource, Timers } from "../../../core/ports.ts"
import { otherWork } from "../recall/documents/steps.ts"
import { retryWaitMs, runAttempt, runnerClosed } from "./job-attempt.ts"
import type { DeadJob, Job, JobHandler, JobHandlers, JobSettings } from "./job-runner.ts"

/** After so long the next piece of work waits. With a piece of the same length a slice takes at most 8 ms. */
const sliceMs = 4

/** Time that jobs share in one turn of the event loop: once it is used up, timers and other work of the process come before the next piece. */
class TimeSlice {
  readonly #clock: Clock
  #begunMs = 0
  #next: Promise<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Undefined while there is time left, else the beginning of the next slice. Ask again then: others may have used it up. */
  full(): Promise<void> | undefined {
    const nowMs = this.#clock.nowMs()
    if (this.#next === undefined) {
      this.#begunMs = nowMs
      this.#next = otherWork().then(() => {
        this.#next = undefined
      })
    }
    const passedMs = nowMs - this.#begunMs
    // A clock that was set back tells nothing.
    return passedMs >= 0 && passedMs < sliceMs ? undefined : this.#next
  }
}

/** A job that this process holds until it settles the job. */
export interface ClaimedJob {
  readonly id: string
  readonly job: Job
  /** The attempts before this one. */
  readonly retryCount: number
}

type Settlement = Promise<void> | void

/** The steps of the life of a claimed job, which each store does in its own way. */
export interface JobClaims<Claimed extends ClaimedJob> {
  /**
   * Counts an attempt before it begins, so that a job that ends its process is not tried for ever. Undefined if the job is gone or has
   * had its last attempt. Absent where claiming counts attempts.
   */
  begin?(claimed: Claimed): Promise<Claimed | undefined>
  complete(claimed: Claimed): Settlement
  /** Puts a job back in its place. It and its conversation wait for `waitMs`. */
  fail(claimed: Claimed, reason: string, waitMs: number): Settlement
  /** Puts a job back in its place as if it had not been claimed. */
  release(claimed: Claimed): Settlement
  /** Puts back a job without a handler. */
  setAside(claimed: Claimed): Settlement
  /** Makes a job a dead letter. */
  bury(claimed: Claimed, dead: DeadJob): Settlement
  /** Keeps a job from being taken over. False when this process no longer holds it. Absent where jobs are not taken over one by one. */
  heartbeat?(claimed: Claimed): Promise<boolean>
}

/** The parts of {@link RunningJobs}. */
interface RunningJobsParts<Claimed extends ClaimedJob> {
  readonly claims: JobClaims<Claimed>
  readonly settings: {
    readonly jobs: JobSettings
    readonly timers: Timers
    readonly random: RandomSource
    /** The clock of the slices in which jobs that do nothing but compute share the process. Default: that of the machine. */
    readonly clock?: Clock
    /** Told of attempts that failed. */
    readonly onWarning?: ((message: string) => void) | undefined
  }
  /** Called when a job has been settled. */
  readonly onSettled: () => void
  /** Called with the wait before a failed job is due again. */
  readonly onRetry: (waitMs: number) => void
  /** Called with an error of settling a job. */
  readonly onFault: (error: unknown, claimed: Claimed) => void
}

interface RunningJob<Claimed> {
  readonly claimed: Claimed
  readonly settled: Promise<void>
  stop: (reason: PromptStrataError) => void
}

/** The time between two heartbeats. */
export const heartbeatMs = 10_000

/** The jobs that this process runs. Each attempt ends with its job done, to be tried again, or a dead letter. */
export class RunningJobs<Claimed extends ClaimedJob> {
  readonly #parts: RunningJobsParts<Claimed>
  readonly #running = new Set<RunningJob<Claimed>>()
  readonly #slice: TimeSlice

  constructor(parts: RunningJobsParts<Claimed>) {
    this.#parts = parts
    this.#slice = new TimeSlice(parts.settings.clock ?? { nowMs: () => Date.now() })
  }

  get size(): number {
    return this.#running.size
  }

  get claimed(): readonly Claimed[] {
    return Array.from(this.#running, ({ claimed }) => claimed)
  }

  get ids(): readonly string[] {
    return this.claimed.map(({ id }) => id)
  }

  run(claimed: Claimed, handler: JobHandler | undefined): void {
    let stop: RunningJob<Claimed>["stop"] = () => undefined
    const settled = this.#runAndSettle(claimed, handler, (give) => (stop = give))
      .catch((error: unknown) => this.#parts.onFault(error, claimed))
      .finally(() => {
        this.#running.delete(entry)
        this.#parts.onSettled()
      })
    const entry: RunningJob<Claimed> = { claimed, settled, stop: (reason) => stop(reason) }
    this.#running.add(entry)
  }

  /**
   * Stops attempts. If the reason has the code `closed`, the job is put back as if it had not been claimed; with any other reason this
   * process no longer holds it, and nothing is settled.
   */
  stop(reason: PromptStrataError, isMeant: (claimed: Claimed) => boolean): void {
    for (const { claimed, stop } of this.#running) if (isMeant(claimed)) stop(reason)
  }

  /** Stops jobs that this process no longer holds. */
  async verify(): Promise<void> {
    const { claims } = this.#parts
    for (const { claimed, stop } of [...this.#running]) if (!(await claims.heartbeat?.(claimed))) stop(takenOver())
  }

  /** Waits for jobs. After `drainMs` they are stopped. */
  async drain({ drainMs, isMeant }: Readonly<{ drainMs: number; isMeant(claimed: Claimed): boolean }>): Promise<void> {
    const { timers } = this.#parts.settings
    const awaited = [...this.#running].filter(({ claimed }) => isMeant(claimed))
    const timer = timers.set(() => {
      for (const { stop } of awaited) stop(runnerClosed())
    }, drainMs)
    await Promise.all(awaited.map(({ settled }) => settled))
    timers.clear(timer)
  }

  /** Waits for all jobs that run now. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#running, ({ settled }) => settled))
  }

  /** Waits until one of these jobs has been settled. False if there is none. */
  async oneSettled(isMeant: (claimed: Claimed) => boolean): Promise<boolean> {
    const awaited = [...this.#running].filter(({ claimed }) => isMeant(claimed))
    if (awaited.length === 0) return false
    await Promise.race(awaited.map(({ settled }) => settled))
    return true
  }

  /** Makes one attempt and settles the job. Throws only errors of settling. */
  async #runAndSettle(given: Claimed, handler: JobHandler | undefined, onStop: OnStop): Promise<void> {
    const { claims, settings } = this.#parts
    const { maxAttempts } = settings.jobs
    if (handler === undefined) return claims.setAside(given)
    await this.#slice.full()
    const claimed = claims.begin ? await claims.begin(given) : given
    if (claimed === undefined) return
    if (claimed.retryCount >= maxAttempts) {
      const error = "Every process that tried it ended before it did."
      return claims.bury(claimed, { job: claimed.job, error, attempts: maxAttempts })
    }
    const outcome = await this.#attempt(claimed, handler, onStop)
    await this.#slice.full()
    if (outcome === "done") return claims.complete(claimed)
    if (outcome === "closed") return claims.release(claimed)
    if (outcome !== "gone") return this.#fail(claimed, messageOf(outcome.error))
  }

  async #attempt(
    claimed: Claimed,
    handler: JobHandler,
    onStop: OnStop,
  ): Promise<"done" | "closed" | "gone" | { readonly error: unknown }> {
    const { claims, settings } = this.#parts
    const { timers, jobs } = settings
    const attempt = claimed.retryCount + 1
    let beats: { stop(): void } | undefined
    let stopped: PromptStrataError | undefined
    const stoppable = (end: (reason: PromptStrataError) => void): void => {
      const stop = (reason: PromptStrataError): void => {
        stopped ??= reason
        end(reason)
      }
      onStop(stop)
      if (claims.heartbeat === undefined) return
      beats = repeat(timers, heartbeatMs, async () => {
        // When the database cannot be asked, the job is taken to be still held.
        if (!(await claims.heartbeat?.(claimed).catch(() => true))) stop(takenOver())
      })
    }
    try {
      await runAttempt({ timeoutMs: jobs.timeoutMs, timers, onStop: stoppable }, async (signal) => {
        for (let full = this.#slice.full(); full !== undefined; full = this.#slice.full()) await full
        return handler(claimed.job, { attempt, isLast: attempt >= jobs.maxAttempts, signal })
      })
      return "done"
    } catch (error) {
      if (stopped === undefined || error !== stopped) return { error }
      return stopped.code === "closed" ? "closed" : "gone"
    } finally {
      beats?.stop()
      // The attempt is over: while the job is settled there is nothing to stop.
      onStop(() => undefined)
    }
  }

  async #fail(claimed: Claimed, reason: string): Promise<void> {
    const { claims, settings, onRetry } = this.#parts
    const { jobs, random, onWarning } = settings
    const { job } = claimed
    const attempts = claimed.retryCount + 1
    const isLast = attempts >= jobs.maxAttempts
    const next = isLast ? "it is a dead letter now" : "it will be tried again"
    onWarning?.(
      `job ${JSON.stringify(job.kind)} of ${job.turnId} failed, attempt ${attempts} of ${jobs.maxAttempts}, ${next}: ${reason}`,
    )
    if (isLast) return claims.bury(claimed, { job, error: reason, attempts })
    const waitMs = retryWaitMs(attempts, jobs, random)
    await claims.fail(claimed, reason, waitMs)
    onRetry(waitMs)
  }
}

/** Takes the function that stops an attempt. */
type OnStop = (stop: (reason: PromptStrataError) => void) => void

function takenOver(): PromptStrataError {
  const message = "The data that this job works on were deleted, or another process has taken the job over."
  return new PromptStrataError("aborted", message)
}

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

/** The handler of a job, given handlers by agent. Those without an agent take the jobs of all agents that are not listed. */
export function handlerOf({ kind, key }: Job, byAgent: ReadonlyMap<string | undefined, JobHandlers>): JobHandler | undefined {
  const handlers = byAgent.get(key.agent) ?? byAgent.get(undefined)
  return handlers !== undefined && Object.hasOwn(handlers, kind) ? handlers[kind] : undefined
}
