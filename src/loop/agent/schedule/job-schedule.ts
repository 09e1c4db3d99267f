import { messageOf } from "../../../core/errors.ts"
import { NewestMap } from "../../../core/memo.ts"
import type { BackgroundJob } from "../../../memory/services/background/background-job.ts"
import type { Job } from "../../../memory/services/store/job-runner.ts"
import { scopeOf, sessionRowId } from "../../../memory/services/store/row-keys.ts"
import type { AgentContext } from "../../turn/turn-context.ts"
import { sessionState } from "../queue/turn-states.ts"
import { maxWaitMs } from "./schedule-times.ts"

/** Of more users and groups the ones that were silent for longest are left out. */
const maxKept = 10_000

interface JobScheduleParts {
  readonly latest: () => AgentContext
  readonly run: (job: Job) => Promise<void>
}

/**
 * Runs jobs at moments of their own, without a turn (T36): for each user and group whose job this process ran before, if nobody has spoken
 * in that conversation since, because another process may have run the job of a later turn.
 */
export class JobSchedule {
  readonly #parts: JobScheduleParts
  /** The last job of each kind, user and group. */
  readonly #last = new NewestMap<string, Job>(maxKept)
  readonly #nextMs = new Map<string, number>()
  #timer: unknown
  #isStopped = false

  constructor(parts: JobScheduleParts) {
    this.#parts = parts
  }

  /** Keeps a job that ran for the moments to come. */
  async ran(job: Job): Promise<void> {
    const { nextRunMs } = this.#jobOf(job.kind) ?? {}
    if (nextRunMs === undefined || this.#isStopped) return
    this.#last.set(JSON.stringify([job.kind, scopeOf(job.key)]), job)
    if (!this.#nextMs.has(job.kind)) await this.#plan(job.kind)
  }

  /** Runs nothing more. */
  stop(): void {
    this.#isStopped = true
    this.#parts.latest().ports.timers.clear(this.#timer)
  }

  #jobOf(kind: string): BackgroundJob | undefined {
    return this.#parts.latest().jobs.find((job) => job.kind === kind)
  }

  async #plan(kind: string): Promise<void> {
    const { clock } = this.#parts.latest().ports
    const nextMs = await this.#jobOf(kind)?.nextRunMs?.(clock.nowMs())
    if (nextMs === undefined) this.#nextMs.delete(kind)
    else this.#nextMs.set(kind, nextMs)
    this.#wait()
  }

  #wait(): void {
    const { clock, timers } = this.#parts.latest().ports
    timers.clear(this.#timer)
    if (this.#isStopped || this.#nextMs.size === 0) return
    const waitMs = Math.max(0, Math.min(...this.#nextMs.values()) - clock.nowMs())
    this.#timer = timers.set(() => this.#look(), Math.min(waitMs, maxWaitMs))
    // A schedule alone does not keep a process alive.
    ;(this.#timer as { unref?: () => void } | undefined)?.unref?.()
  }

  #look(): void {
    const { ports, background } = this.#parts.latest()
    const nowMs = ports.clock.nowMs()
    for (const [kind, nextMs] of this.#nextMs) {
      if (nextMs > nowMs) continue
      this.#nextMs.delete(kind)
      const due = [...this.#last.values()].filter((job) => job.kind === kind)
      for (const job of due) void background.enqueue(sessionRowId(job.key), () => this.#runAt(nextMs, job))
      void background.enqueue(`schedule of ${kind}`, () => this.#plan(kind))
    }
    this.#wait()
  }

  async #runAt(scheduledMs: number, job: Job): Promise<void> {
    const { store, onWarning } = this.#parts.latest()
    try {
      const record = await store.load(job.key, { last: 1 })
      if (record?.history.at(-1)?.turnId !== job.turnId || !sessionState(record).memoryOn) return
      await this.#parts.run({ ...job, payload: { ...job.payload, scheduledMs } })
    } catch (error) {
      const message = `The job ${job.kind} failed at a moment of its schedule: ${messageOf(error)}`
      onWarning({ key: job.key, turnId: job.turnId, message })
    }
  }
}
