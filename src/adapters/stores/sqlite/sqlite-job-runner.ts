import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import type { Clock, RandomSource, Timers } from "../../../core/ports.ts"
import { longestWaitMs } from "../../../memory/services/store/job-attempt.ts"
import type {
  DeadJob,
  IdleOptions,
  Job,
  JobHandlers,
  JobRunner,
  JobSettings,
  StartOptions,
} from "../../../memory/services/store/job-runner.ts"
import { rowId, sessionRowId } from "../../../memory/services/store/rows/row-tables.ts"
import { handlerOf, RunningJobs } from "../../../memory/services/store/running-jobs.ts"
import type { SqlDatabase } from "../sql/sql-database.ts"
import { deadJobs, dueHeads, type Head, type HeadsWanted, pruneDone, sqliteClaims } from "./job-claims.ts"
import type { Leases } from "./leases.ts"
import { jobQueries } from "./sqlite-jobs.ts"

/** The parts of the runner. */
export interface SqliteJobRunnerParts {
  readonly database: SqlDatabase
  readonly settings: JobSettings
  readonly clock: Clock
  readonly timers: Timers
  readonly random: RandomSource
  readonly leases: Leases
  /** How long `idle` waits for another process that makes no progress. */
  readonly patienceMs: number
  /** How often to renew leases and to look for jobs that other processes have committed. */
  readonly pollMs: number
  /** Like `timers`, but they do not keep the process alive. */
  readonly pollTimers: Timers
  readonly onWarning: (message: string) => void
}

/** The ids of done jobs are kept for a week. */
const keepDoneMs = 7 * 86_400_000

/** Runs the jobs of a file. The process with an agent's lease runs its jobs; another process takes over when that one ends. */
export class SqliteJobRunner implements JobRunner {
  readonly #parts: SqliteJobRunnerParts
  readonly #handlers = new Map<string | undefined, JobHandlers>()
  readonly #running: RunningJobs<Head>
  #pumping: Promise<void> | undefined
  /** Ids of jobs that were found damaged: each is told once. */
  readonly #damaged = new Set<string>()
  #isAskedAgain = false
  /** Jobs with moments of their own are looked for as often as other processes' jobs, not with each that is added here. */
  #looksForTimed = true
  #timer: unknown
  /** The calls of `idle` that wait. */
  #idling = 0
  readonly #idleWaiters: (() => void)[] = []

  constructor(parts: SqliteJobRunnerParts) {
    this.#parts = parts
    const { database, clock, settings, timers, random, pollTimers, onWarning } = parts
    this.#running = new RunningJobs({
      claims: sqliteClaims(database, { clock, maxAttempts: settings.maxAttempts }),
      settings: { jobs: settings, timers, random, clock },
      onSettled: () => this.wake(),
      onRetry: (waitMs) => void pollTimers.set(() => this.wake(), waitMs),
      onFault: (error, { job }) => onWarning(`job ${job.id}: ${messageOf(error)}`),
    })
  }

  async start(handlers: JobHandlers, { agent, ifStarted = false }: StartOptions = {}): Promise<void> {
    if (ifStarted && !this.#handlers.has(agent)) return
    const { database, clock } = this.#parts
    this.#handlers.set(agent, handlers)
    if (ifStarted) return
    await database.write((db) => pruneDone(db, clock.nowMs() - keepDoneMs))
    this.#looksForTimed = true
    this.wake()
  }

  /** Looks for jobs now. */
  wake(): void {
    this.#isAskedAgain = true
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined
      if (this.#isAskedAgain) this.wake()
      else for (const resolve of this.#idleWaiters.splice(0)) resolve()
    })
  }

  /** Waits for jobs of other processes only as long as these make progress. */
  async idle({ own = false, agent }: IdleOptions = {}): Promise<void> {
    this.#idling += 1
    this.wake()
    await (own ? this.#ownIdle(agent) : this.#allIdle()).finally(() => {
      this.#idling -= 1
    })
  }

  async #allIdle(): Promise<void> {
    const { timers, pollMs, clock, patienceMs } = this.#parts
    let seen = { left: "", atMs: clock.nowMs() }
    for (;;) {
      await this.#pumping
      const limit = this.#parts.settings.concurrency
      let due = await this.#due({ limit })
      if (this.#running.size === 0 && due.length === 0) due = await this.#due({ limit, isTimed: true })
      if (this.#running.size === 0 && due.length === 0) return
      const left = due.map(({ id }) => id).join()
      const isSetBack = clock.nowMs() < seen.atMs
      if (this.#running.size > 0 || left !== seen.left || isSetBack) seen = { left, atMs: clock.nowMs() }
      if (clock.nowMs() - seen.atMs > patienceMs) return
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#idleWaiters.push(resolve)
      const timer = timers.set(resolve, pollMs)
      await promise
      timers.clear(timer)
    }
  }

  async close({ drainMs, agent }: { readonly drainMs: number; readonly agent?: string }): Promise<void> {
    const isOfAgent = ({ job }: Head): boolean => agent === undefined || job.key.agent === agent
    const ran = new Set(this.#running.claimed.filter(isOfAgent))
    if (agent === undefined) this.#handlers.clear()
    else this.#handlers.delete(agent)
    // Handlers for all agents take the jobs that do not run.
    if (this.#handlers.size > 0) this.wake()
    await this.#pumping
    const isMeant = (head: Head): boolean => ran.has(head) || (isOfAgent(head) && !handlerOf(head.job, this.#handlers))
    await this.#running.drain({ drainMs, isMeant })
    if (this.#handlers.has(undefined)) return
    const leases = agent === undefined ? [undefined] : [agent, timedLease(agent)]
    await Promise.all(leases.map((lease) => this.#parts.leases.release(lease)))
    if (this.#handlers.size > 0) return
    this.#parts.pollTimers.clear(this.#timer)
    this.#timer = undefined
  }

  async dead(): Promise<readonly DeadJob[]> {
    return this.#parts.database.read(deadJobs)
  }

  /** Stops jobs whose rows were deleted. */
  async stopDeleted(): Promise<void> {
    for (const head of this.#running.claimed) {
      const row = await this.#parts.database.read((db) =>
        jobQueries(db).selectFrom("jobs").select("id").where("id", "=", head.id).executeTakeFirst(),
      )
      const reason = new PromptStrataError("aborted", "The data that this job works on were deleted.")
      if (row === undefined) this.#running.stop(reason, (running) => running === head)
    }
  }

  /** Waits until this process has begun all due jobs that it can begin. Due jobs that remain belong to other processes. */
  async #ownIdle(agent: string | undefined): Promise<void> {
    this.#looksForTimed = true
    for (;;) {
      this.wake()
      while (this.#pumping) await this.#pumping
      const isFull = this.#running.size >= this.#parts.settings.concurrency
      const isAwaited = ({ job }: Head): boolean => isFull || agent === undefined || job.key.agent === agent
      if (!(await this.#running.oneSettled(isAwaited))) return
    }
  }

  async #pump(): Promise<void> {
    const { pollMs, pollTimers, onWarning } = this.#parts
    this.#isAskedAgain = false
    if (this.#handlers.size === 0) return
    try {
      await this.#keepLeases()
      await this.#beginDue(false)
      if (this.#looksForTimed) await this.#beginDue(true)
      this.#looksForTimed = false
    } catch (error) {
      onWarning(`jobs: ${messageOf(error)}`)
    }
    this.#timer ??= pollTimers.set(() => {
      this.#timer = undefined
      this.#looksForTimed = true
      this.wake()
    }, pollMs)
  }

  /** Renews the leases of running jobs, and stops the jobs of agents whose lease another process has taken. */
  async #keepLeases(): Promise<void> {
    for (const lease of new Set(this.#running.claimed.map(({ job }) => leaseOf(job)))) {
      if (await this.#parts.leases.hold(lease)) continue
      const reason = new PromptStrataError("closed", `Another process has taken over the jobs of ${lease}.`)
      this.#running.stop(reason, ({ job }) => leaseOf(job) === lease)
    }
  }

  async #beginDue(isTimed: boolean): Promise<void> {
    const { settings, leases } = this.#parts
    const without = new Set<string>()
    for (;;) {
      const heads = await this.#due({ limit: settings.concurrency + this.#running.size, without: [...without], isTimed })
      const refused = without.size
      for (const head of heads) {
        const { key } = head.job
        if (this.#running.size >= settings.concurrency) return
        if (without.has(key.agent) || this.#isBusy(head)) continue
        if (await leases.hold(leaseOf(head.job))) this.#running.run(head, handlerOf(head.job, this.#handlers))
        else without.add(key.agent)
      }
      // Heads of agents that other processes run may have filled the limit: look again without them.
      if (without.size === refused) return
    }
  }

  async #due(wanted: Pick<HeadsWanted, "limit" | "without" | "isTimed">): Promise<readonly Head[]> {
    const { database, clock, settings } = this.#parts
    if (this.#handlers.size === 0) return []
    const onDamaged = (id: string, error: unknown): void => {
      if (!this.#damaged.has(id)) this.#parts.onWarning(`jobs: ${messageOf(error)}`)
      this.#damaged.add(id)
    }
    const times = { nowMs: clock.nowMs(), longestWaitMs: longestWaitMs(settings), isHurried: this.#idling > 0 }
    const options = { handlers: this.#handlers, ...times, onDamaged, ...wanted }
    return database.readOnce((db) => dueHeads(db, options))
  }

  #isBusy({ id, job }: Head): boolean {
    const isSame = (other: Head): boolean =>
      job.dueMs === undefined && other.job.dueMs === undefined && sessionRowId(other.job.key) === sessionRowId(job.key)
    return this.#running.claimed.some((running) => running.id === id || isSame(running))
  }
}

/** The lease of an agent's jobs with moments of their own: the process that delivers wakes need not be the one that runs other jobs. */
function timedLease(agent: string): string {
  return rowId("timed", agent)
}

function leaseOf({ key, dueMs }: Job): string {
  return dueMs === undefined ? key.agent : timedLease(key.agent)
}
