import { messageOf } from "../../../core/errors.ts"
import type { IdleOptions, JobHandlers, JobRunner, StartOptions } from "../../../memory/services/store/job-runner.ts"
import { handlerOf, RunningJobs, repeat } from "../../../memory/services/store/running-jobs.ts"
import type { ClaimedJobs, QueuedJob } from "./claimed-jobs.ts"
import type { PostgresSettings } from "./postgres-options.ts"
import type { EnqueuedJobs } from "./sql-jobs.ts"

/** The parts of a {@link PostgresJobRunner}. */
interface RunnerParts {
  readonly claims: ClaimedJobs
  readonly enqueued: Pick<EnqueuedJobs, "ids">
  readonly settings: Pick<PostgresSettings, "jobs" | "timers" | "random" | "onWarning">
  /** The queue of an agent, made if it is missing. */
  readonly queueFor: (agent: string) => Promise<string>
  /** Gives a queue the settings of this process. */
  readonly prepare: (queue: string) => Promise<void>
  /** Makes the jobs of dead processes due again. */
  readonly supervise: () => Promise<void>
  /** Begins to listen for messages of other processes. */
  readonly listen: (onWake: () => void) => { close(): Promise<void> }
}

const idlePollMs = 20

/** Claims jobs when it is woken, when a job ends and at intervals, and runs up to `concurrency` of them at the same time. */
export class PostgresJobRunner implements JobRunner {
  readonly #parts: RunnerParts
  readonly #running: RunningJobs<QueuedJob>
  readonly #handlers = new Map<string | undefined, JobHandlers>()
  readonly #retries = new Set<unknown>()
  #stops: readonly (() => void | Promise<void>)[] = []
  #pumping: Promise<void> | undefined
  #isAskedAgain = false
  #rounds = 0
  #isAway = false

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#running = new RunningJobs({
      claims: parts.claims,
      settings: parts.settings,
      onFault: (error) => this.#warn(error),
      onSettled: () => this.wake(),
      onRetry: (waitMs) => this.#wakeAfter(waitMs),
    })
  }

  async start(handlers: JobHandlers, { agent, ifStarted = false }: StartOptions = {}): Promise<void> {
    if (ifStarted && !this.#handlers.has(agent)) return
    this.#handlers.set(agent, handlers)
    if (ifStarted) return
    for (const name of await this.#queuesOf(agent)) await this.#parts.prepare(name)
    await this.recall()
    // Closed meanwhile: timers that begin now would never be stopped.
    if (this.#handlers.get(agent) !== handlers) return
    if (this.#stops.length === 0) this.#begin()
    this.wake()
  }

  /** Looks for jobs now. A call during a round leads to one more round. */
  wake(): void {
    if (this.#handlers.size === 0) return
    this.#isAskedAgain = true
    this.#pumping ??= this.#pump()
      .catch((error: unknown) => this.#warn(error))
      .finally(() => {
        this.#pumping = undefined
      })
  }

  /** Stops jobs that this process no longer holds, such as deleted ones. */
  verify(): Promise<void> {
    return this.#running.verify()
  }

  /** Makes jobs due that another process has set aside and this one has handlers for. */
  async recall(): Promise<void> {
    for (const [agent, known] of this.#handlers)
      if (await this.#parts.claims.recall(await this.#queuesOf(agent), Object.keys(known))) this.wake()
  }

  async idle({ own = false, agent }: IdleOptions = {}): Promise<void> {
    const mayHasten = this.#handlers.size > 0 && (!own || this.#parts.enqueued.ids().length > 0)
    if (mayHasten) await this.#parts.claims.hasten(await this.#queues())
    if (own) return this.#ownIdle(agent)
    // A runner that was not started leaves the jobs to other processes and does not wait.
    while (this.#handlers.size > 0) {
      this.wake()
      await this.#pumping
      await this.#running.settled()
      if (this.#running.size === 0 && !(await this.#parts.claims.isBusy(await this.#queues()))) return
      await this.#wait()
    }
  }

  async close({ drainMs, agent }: { readonly drainMs: number; readonly agent?: string }): Promise<void> {
    if (agent === undefined) this.#handlers.clear()
    else this.#handlers.delete(agent)
    if (this.#handlers.size === 0) {
      for (const handle of this.#retries) this.#parts.settings.timers.clear(handle)
      await Promise.all(this.#stops.map((stop) => stop()))
      this.#stops = []
    }
    await this.#pumping
    const isMeant = ({ job }: QueuedJob): boolean => agent === undefined || job.key.agent === agent
    await this.#running.drain({ drainMs, isMeant })
  }

  dead(): ReturnType<JobRunner["dead"]> {
    return this.#parts.claims.dead()
  }

  /** A database that cannot be reached is reported once, not at every round. */
  #warn(error: unknown): void {
    if (!this.#isAway) this.#parts.settings.onWarning(`jobs: ${messageOf(error)}`)
    this.#isAway = true
  }

  /** The queue of an agent; without one, the queues of all agents. */
  async #queuesOf(agent: string | undefined): Promise<readonly string[]> {
    return agent === undefined ? this.#parts.claims.queues() : [await this.#parts.queueFor(agent)]
  }

  /** The queues with handlers. Each round begins with another queue, so that a long one does not hold up the others. */
  async #queues(): Promise<readonly string[]> {
    const agents = this.#handlers.has(undefined) ? [undefined] : [...this.#handlers.keys()]
    const names = (await Promise.all(agents.map((agent) => this.#queuesOf(agent)))).flat()
    const first = names.length === 0 ? 0 : this.#rounds % names.length
    return [...names.slice(first), ...names.slice(0, first)]
  }

  async #pump(): Promise<void> {
    do {
      this.#isAskedAgain = false
      this.#rounds += 1
      const free = this.#parts.settings.jobs.concurrency - this.#running.size
      if (this.#handlers.size === 0 || free <= 0) return
      for (const claimed of await this.#parts.claims.claim(await this.#queues(), free)) await this.#take(claimed)
      this.#isAway = false
    } while (this.#isAskedAgain)
  }

  /** Runs a job, or gives it back if its agent was closed meanwhile. */
  async #take(claimed: QueuedJob): Promise<void> {
    const isOurs = this.#handlers.has(claimed.job.key.agent) || this.#handlers.has(undefined)
    if (isOurs) this.#running.run(claimed, handlerOf(claimed.job, this.#handlers))
    else await this.#parts.claims.release(claimed)
  }

  #wakeAfter(waitMs: number): void {
    const handle = this.#parts.settings.timers.set(() => {
      this.#retries.delete(handle)
      this.wake()
    }, waitMs)
    this.#retries.add(handle)
  }

  #begin(): void {
    const { supervise, listen, settings } = this.#parts
    const { jobs, timers } = settings
    const wake = () => this.wake()
    const giveBack = () =>
      supervise()
        .then(wake)
        .then(() => this.recall())
        .catch((error: unknown) => this.#warn(error))
    void giveBack()
    const supervising = repeat(timers, jobs.superviseSeconds * 1000, giveBack)
    const polling = repeat(timers, jobs.pollMs, async () => wake())
    const listener = jobs.listen ? listen(wake) : undefined
    this.#stops = [supervising.stop, polling.stop, () => listener?.close()]
  }

  /**
   * Waits until no job that this process enqueued can begin here. Running jobs are left to `close`, which takes no new ones: other
   * processes may enqueue without end.
   */
  async #ownIdle(agent: string | undefined): Promise<void> {
    const queue = agent === undefined ? undefined : await this.#parts.queueFor(agent)
    while (this.#handlers.size > 0) {
      if (!(await this.#canBegin(queue))) return
      this.wake()
      await this.#pumping
      await this.#wait()
    }
  }

  /**
   * Asks the database while no round claims jobs. A job that a round has claimed, but that is not yet known to run here, would look
   * like one of another process.
   */
  async #canBegin(queue: string | undefined): Promise<boolean> {
    while (this.#pumping) await this.#pumping
    const asked = this.#parts.claims.canBegin(this.#parts.enqueued.ids(queue), this.#running.ids)
    this.#pumping = asked
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        this.#pumping = undefined
        if (this.#isAskedAgain) this.wake()
      })
    return asked
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => this.#parts.settings.timers.set(resolve, idlePollMs))
  }
}
