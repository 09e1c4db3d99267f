import type { ServiceKey, SessionKey } from "../../../../core/conversation.ts"
import { PromptStrataError } from "../../../../core/errors.ts"
import type { Ports } from "../../../../core/ports.ts"
import { quietTimers } from "../../../../core/timers.ts"
import { firstDueMs, longestWaitMs } from "../job-attempt.ts"
import type { IdleOptions, Job, JobHandlers, JobRunner, JobSettings, StartOptions } from "../job-runner.ts"
import { isOwned } from "../rows/owned-rows.ts"
import { rowId, sessionRowId } from "../rows/row-tables.ts"
import type { JobRow, JobRows, OwnedKeys } from "../rows/rows.ts"
import { type ClaimedJob, handlerOf, RunningJobs } from "../running-jobs.ts"

interface WaitingJob extends JobRow {
  attempts: number
  /** The next attempt does not begin before this moment. */
  dueMs?: number
  /** Set while the job waits for its next attempt and has a handler. */
  timer?: unknown
}

/** The ports for the waits between attempts. */
export type JobPorts = Pick<Ports, "timers" | "random" | "clock">

/** Timers stop while a machine sleeps, so the clock is read at least this often. */
const longestTimerMs = 60_000

/** Jobs of one lane run one after the other. A job with a moment of its own has a lane of its own. */
function laneOf({ id, key, dueMs }: Job): string {
  return dueMs === undefined ? sessionRowId(key) : rowId("timed", id)
}

/** Jobs in memory and their runner. Ids of finished jobs are kept until their data are forgotten, so that a job never runs again. */
export class JobTable implements JobRunner, JobRows {
  readonly #settings: JobSettings
  readonly #ports: JobPorts
  readonly #ids = new Map<string, ServiceKey>()
  /** Waiting and running jobs by session, in the order in which they were enqueued. */
  readonly #lanes = new Map<string, WaitingJob[]>()
  readonly #dead: JobRow[] = []
  readonly #handlers = new Map<string | undefined, JobHandlers>()
  readonly #running: RunningJobs<ClaimedJob & { readonly row: WaitingJob }>
  #idleWaiters: (() => void)[] = []

  constructor(settings: JobSettings, ports: JobPorts) {
    this.#settings = settings
    this.#ports = ports
    this.#running = new RunningJobs({
      claims: {
        complete: ({ row }) => this.#leave(row),
        fail: ({ row }, _, waitMs) => this.#putOff(row, waitMs),
        release: ({ row }) => void row.attempts--,
        setAside: () => undefined,
        bury: ({ row }, { error }) => {
          this.#leave(row)
          this.#dead.push({ job: row.job, attempts: row.attempts, error })
        },
      },
      settings: { jobs: settings, ...ports },
      onSettled: () => this.wake(),
      onRetry: () => undefined,
      onFault: () => undefined,
    })
  }

  enqueue(jobs: readonly Job[]): void {
    this.#hasten(({ job }) => jobs.some(({ key }) => sessionRowId(key) === sessionRowId(job.key)))
    for (const job of jobs) this.restore({ job, attempts: 0 })
    if (jobs.length > 0) this.wake()
  }

  /** Puts a job from an export; false if its id is known. */
  restore({ job, attempts, error }: JobRow): boolean {
    if (this.#ids.has(job.id)) return false
    this.#ids.set(job.id, job.key)
    if (error !== undefined) this.#dead.push({ job, attempts, error })
    else {
      const lane = laneOf(job)
      const due = firstDueMs(job) === 0 ? {} : { dueMs: firstDueMs(job) }
      this.#lanes.set(lane, [...(this.#lanes.get(lane) ?? []), { job, attempts, ...due }])
    }
    return true
  }

  async start(handlers: JobHandlers, { agent, ifStarted = false }: StartOptions = {}): Promise<void> {
    if (ifStarted && !this.#handlers.has(agent)) return
    this.#handlers.set(agent, handlers)
    if (ifStarted) return
    this.wake()
  }

  /** With `own` it waits for later attempts, too: no other process makes them, so they would end with this one. */
  async idle({ own = false, agent }: IdleOptions = {}): Promise<void> {
    const isLeft = ({ job }: JobRow): boolean =>
      (job.dueMs ?? 0) <= this.#ports.clock.nowMs() &&
      (agent === undefined || job.key.agent === agent) &&
      handlerOf(job, this.#handlers) !== undefined
    this.#hasten(({ job }) => agent === undefined || job.key.agent === agent)
    this.wake()
    // Jobs that are due begin at once or wait for a running one, so none is due where none runs.
    while (this.#running.size > 0 || (own && [...this.#lanes.values()].flat().some(isLeft)))
      await new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
  }

  async close({ drainMs, agent }: { readonly drainMs: number; readonly agent?: string }): Promise<void> {
    if (agent === undefined) this.#handlers.clear()
    else this.#handlers.delete(agent)
    const ofAgent = ({ job }: Pick<JobRow, "job">): boolean => agent === undefined || job.key.agent === agent
    for (const waiting of [...this.#lanes.values()].flat()) {
      if (!ofAgent(waiting) || waiting.timer === undefined) continue
      this.#ports.timers.clear(waiting.timer)
      delete waiting.timer
    }
    const running = new Set(this.#running.claimed.filter(ofAgent))
    // Handlers for all agents take the jobs that do not run.
    this.wake()
    await this.#running.drain({ drainMs, isMeant: (claimed) => running.has(claimed) })
    this.wake()
  }

  async dead(): Promise<readonly Required<JobRow>[]> {
    return Object.freeze(this.#dead.map(({ job, error = "", attempts }) => Object.freeze({ job, error, attempts })))
  }

  /** Waiting jobs and dead letters, in the order in which they were enqueued. */
  rows(): readonly JobRow[] {
    const kept = new Map([...this.#lanes.values(), this.#dead].flat().map((row) => [row.job.id, row]))
    return [...this.#ids.keys()].flatMap((id) => kept.get(id) ?? [])
  }

  list(owned: OwnedKeys): readonly JobRow[] {
    const rows = this.rows().filter(({ job }) => isOwned(owned, job.key))
    return rows.map(({ job, attempts, error }) => ({ job, attempts, ...(error === undefined ? {} : { error }) }))
  }

  /** Deletes jobs, running ones too, with the ids of those that are done. */
  forget(owned: OwnedKeys): number {
    const count = this.#deleteWhere(({ key }) => isOwned(owned, key))
    for (const [id, key] of this.#ids) if (isOwned(owned, key)) this.#ids.delete(id)
    return count
  }

  forgetTurns(key: SessionKey, turnIds: ReadonlySet<string>): void {
    this.#deleteWhere((job) => turnIds.has(job.turnId) && sessionRowId(job.key) === sessionRowId(key))
  }

  #deleteWhere(condition: (job: Job) => boolean): number {
    const gone = this.rows().filter(({ job }) => condition(job))
    for (const row of gone) this.#drop(row)
    this.wake()
    return gone.length
  }

  #drop(row: WaitingJob): void {
    if (row.timer !== undefined) this.#ports.timers.clear(row.timer)
    const reason = new PromptStrataError("aborted", "The data of this job was forgotten.")
    this.#running.stop(reason, (running) => running.row === row)
    const at = this.#dead.indexOf(row)
    if (at >= 0) this.#dead.splice(at, 1)
    this.#ids.delete(row.job.id)
    this.#leave(row)
  }

  /** Lets jobs that wait for quiet be due at once. */
  #hasten(isMeant: (row: WaitingJob) => boolean): void {
    for (const row of [...this.#lanes.values()].flat()) {
      if (!row.job.quiet || row.attempts > 0 || !isMeant(row)) continue
      if (row.timer !== undefined) this.#ports.timers.clear(row.timer)
      delete row.timer
      delete row.dueMs
    }
  }

  #leave(row: JobRow): void {
    const lane = laneOf(row.job)
    const left = (this.#lanes.get(lane) ?? []).filter((other) => other !== row)
    if (left.length > 0) this.#lanes.set(lane, left)
    else this.#lanes.delete(lane)
  }

  /** Begins every job that is due, and wakes those who wait in `idle`. */
  wake(): void {
    const running = new Set(this.#running.claimed.map(({ row }) => row))
    for (const lane of this.#lanes.values()) {
      const next = lane.find(({ job }) => handlerOf(job, this.#handlers) !== undefined)
      const isFree = next !== undefined && next.timer === undefined && !lane.some((row) => running.has(row))
      if (!isFree) continue
      const leftMs = this.#leftMs(next)
      if (leftMs > 0) this.#wait(next, leftMs)
      else if (this.#running.size < this.#settings.concurrency) this.#begin(next)
    }
    if (this.#running.size > 0) return
    const waiters = this.#idleWaiters
    this.#idleWaiters = []
    for (const resolve of waiters) resolve()
  }

  /** The rest of a wait. One that is longer than a wait can be began before the clock was set back, and is over. */
  #leftMs({ dueMs = 0, job }: WaitingJob): number {
    const leftMs = dueMs - this.#ports.clock.nowMs()
    return job.dueMs === undefined && leftMs > longestWaitMs(this.#settings) ? 0 : leftMs
  }

  #wait(row: WaitingJob, leftMs: number): void {
    const isTimed = row.job.dueMs !== undefined
    const onTime = (): void => {
      delete row.timer
      if (!isTimed) delete row.dueMs
      this.wake()
    }
    // A reminder or a batch alone does not keep a process alive.
    const isQuiet = isTimed || (row.job.quiet && row.attempts === 0)
    const timers = isQuiet ? quietTimers(this.#ports.timers) : this.#ports.timers
    row.timer = timers.set(onTime, isTimed ? Math.min(leftMs, longestTimerMs) : leftMs)
  }

  #begin(row: WaitingJob): void {
    this.#running.run({ id: row.job.id, job: row.job, retryCount: row.attempts++, row }, handlerOf(row.job, this.#handlers))
  }

  #putOff(row: WaitingJob, waitMs: number): void {
    row.dueMs = this.#ports.clock.nowMs() + waitMs
    if (handlerOf(row.job, this.#handlers) !== undefined) this.#wait(row, waitMs)
  }
}
