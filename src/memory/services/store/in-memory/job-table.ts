import type { ServiceKey, SessionKey } from "../../../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../../core/errors.ts"
import type { Ports } from "../../../../core/ports.ts"
import { handlerOf, retryWaitMs, runAttempt, runnerClosed } from "../job-attempt.ts"
import type { IdleOptions, Job, JobHandler, JobHandlers, JobRunner, JobSettings } from "../job-runner.ts"
import { sessionRowId } from "../row-keys.ts"
import { isOwned } from "../rows/owned-rows.ts"
import type { JobRow, JobRows, OwnedKeys } from "../rows/rows.ts"

interface Waiting extends JobRow {
  attempts: number
  /** The next attempt does not begin before this moment. */
  dueMs?: number
  /** Set while the job waits for its next attempt and has a handler. */
  timer?: unknown
  /** Set while the job runs. */
  stop?: (reason: PromptStrataError) => void
  /** True if `close` aborted the attempt: it does not count. */
  isCutOff?: boolean
}

/** The ports for the waits between attempts. */
export type JobPorts = Pick<Ports, "timers" | "random" | "clock">

/** Jobs in memory and their runner. Ids of finished jobs are kept until their data are forgotten, so that a job never runs again. */
export class JobTable implements JobRunner, JobRows {
  readonly #settings: JobSettings
  readonly #ports: JobPorts
  readonly #ids = new Map<string, ServiceKey>()
  /** Waiting and running jobs by session, in the order in which they were enqueued. */
  readonly #lanes = new Map<string, Waiting[]>()
  readonly #dead: JobRow[] = []
  readonly #handlers = new Map<string | undefined, JobHandlers>()
  readonly #running = new Map<Waiting, Promise<void>>()
  #idleWaiters: (() => void)[] = []

  constructor(settings: JobSettings, ports: JobPorts) {
    this.#settings = settings
    this.#ports = ports
  }

  enqueue(jobs: readonly Job[]): void {
    for (const job of jobs) this.restore({ job, attempts: 0 })
    if (jobs.length > 0) this.wake()
  }

  /** Puts a job from an export; false if its id is known. */
  restore({ job, attempts, error }: JobRow): boolean {
    if (this.#ids.has(job.id)) return false
    this.#ids.set(job.id, job.key)
    if (error !== undefined) this.#dead.push({ job, attempts, error })
    else {
      const lane = sessionRowId(job.key)
      this.#lanes.set(lane, [...(this.#lanes.get(lane) ?? []), { job, attempts }])
    }
    return true
  }

  async start(handlers: JobHandlers, { agent }: { readonly agent?: string } = {}): Promise<void> {
    this.#handlers.set(agent, handlers)
    this.wake()
  }

  /** With `own` it waits for later attempts, too: no other process makes them, so they would end with this one. */
  async idle({ own = false, agent }: IdleOptions = {}): Promise<void> {
    const isLeft = ({ job }: JobRow): boolean =>
      (agent === undefined || job.key.agent === agent) && handlerOf(job, this.#handlers) !== undefined
    // Jobs that are due begin at once or wait for a running one, so none is due where none runs.
    while (this.#running.size > 0 || (own && [...this.#lanes.values()].flat().some(isLeft)))
      await new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
  }

  async close({ drainMs, agent }: { readonly drainMs: number; readonly agent?: string }): Promise<void> {
    if (agent === undefined) this.#handlers.clear()
    else this.#handlers.delete(agent)
    const ofAgent = ({ job }: JobRow): boolean => agent === undefined || job.key.agent === agent
    for (const waiting of [...this.#lanes.values()].flat()) {
      if (!ofAgent(waiting) || waiting.timer === undefined) continue
      this.#ports.timers.clear(waiting.timer)
      delete waiting.timer
    }
    const running = [...this.#running].filter(([waiting]) => ofAgent(waiting))
    // Handlers for all agents take the jobs that do not run.
    this.wake()
    const drained = Promise.all(running.map(([, settled]) => settled))
    const reason = runnerClosed()
    const timer = this.#ports.timers.set(() => {
      for (const [waiting] of running) {
        waiting.isCutOff = true
        waiting.stop?.(reason)
      }
    }, drainMs)
    await drained
    this.#ports.timers.clear(timer)
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

  #drop(row: Waiting): void {
    if (row.timer !== undefined) this.#ports.timers.clear(row.timer)
    row.stop?.(new PromptStrataError("aborted", "The data of this job was forgotten."))
    const at = this.#dead.indexOf(row)
    if (at >= 0) this.#dead.splice(at, 1)
    this.#ids.delete(row.job.id)
    this.#leave(row)
  }

  #leave(row: JobRow): void {
    const lane = sessionRowId(row.job.key)
    const left = (this.#lanes.get(lane) ?? []).filter((other) => other !== row)
    if (left.length > 0) this.#lanes.set(lane, left)
    else this.#lanes.delete(lane)
  }

  /** Begins every job that is due, and wakes those who wait in `idle`. */
  wake(): void {
    for (const lane of this.#lanes.values()) {
      const next = lane.find(({ job }) => handlerOf(job, this.#handlers) !== undefined)
      const isFree = next !== undefined && next.timer === undefined && !lane.some((row) => this.#running.has(row))
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
  #leftMs({ dueMs = 0 }: Waiting): number {
    const leftMs = dueMs - this.#ports.clock.nowMs()
    return leftMs > 2 * this.#settings.maxWaitMs ? 0 : leftMs
  }

  #wait(row: Waiting, leftMs: number): void {
    row.timer = this.#ports.timers.set(() => {
      delete row.timer
      delete row.dueMs
      this.wake()
    }, leftMs)
  }

  #begin(row: Waiting): void {
    const handler = handlerOf(row.job, this.#handlers)
    if (handler === undefined) return
    const settled = this.#attempt(row, handler).finally(() => {
      this.#running.delete(row)
      delete row.stop
      this.wake()
    })
    this.#running.set(row, settled)
  }

  async #attempt(row: Waiting, handler: JobHandler): Promise<void> {
    const { maxAttempts, timeoutMs } = this.#settings
    const attempt = ++row.attempts
    const isLast = attempt >= maxAttempts
    try {
      await runAttempt({ timeoutMs, timers: this.#ports.timers, onStop: (stop) => (row.stop = stop) }, (signal) =>
        handler(row.job, { attempt, isLast, signal }),
      )
      this.#leave(row)
    } catch (error) {
      this.#failed(row, error)
    }
  }

  #failed(row: Waiting, error: unknown): void {
    if (!this.#lanes.get(sessionRowId(row.job.key))?.includes(row)) return
    const { maxAttempts } = this.#settings
    if (row.isCutOff === true) {
      delete row.isCutOff
      row.attempts--
    } else if (row.attempts >= maxAttempts) {
      this.#leave(row)
      this.#dead.push({ job: row.job, attempts: row.attempts, error: messageOf(error) })
    } else {
      const waitMs = retryWaitMs(row.attempts, this.#settings, this.#ports.random)
      row.dueMs = this.#ports.clock.nowMs() + waitMs
      if (handlerOf(row.job, this.#handlers) !== undefined) this.#wait(row, waitMs)
    }
  }
}
