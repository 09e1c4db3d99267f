import { messageOf } from "../../core/errors.ts"
import type { Job, JobHandler, JobHandlers, JobRunner } from "../../services/job-runner.ts"
import type { ClaimedJob, ClaimedJobs } from "./claimed-jobs.ts"
import type { PostgresSettings } from "./postgres-options.ts"
import { repeat, runningJobs } from "./running-jobs.ts"
import type { EnqueuedJobs } from "./sql-jobs.ts"

/** What the runner is made from. */
export interface RunnerParts {
  readonly claims: ClaimedJobs
  readonly enqueued: Pick<EnqueuedJobs, "ids">
  readonly settings: Pick<PostgresSettings, "jobs" | "timers" | "random" | "onWarning">
  /** The queue of an agent, made where it is missing. */
  readonly queueFor: (agent: string) => Promise<string>
  /** Brings a queue's settings up to this process'. */
  readonly prepare: (queue: string) => Promise<void>
  /** Makes the jobs of processes that died due again. */
  readonly supervise: () => Promise<void>
  /** Begins to listen. */
  readonly listen: (onWake: () => void) => { close(): Promise<void> }
}

/** A {@link JobRunner} that can be told that there is something to do. */
export interface PostgresJobRunner extends JobRunner {
  wake(): void
  /** Stops jobs that are no longer this process', such as forgotten ones. */
  verify(): Promise<void>
  /** Takes back jobs that another process set aside and this one knows. */
  recall(): Promise<void>
}

const idlePollMs = 20

/** Claims jobs when woken, when one ends and every now and then, and runs so many side by side. */
export function createPostgresJobRunner(parts: RunnerParts): PostgresJobRunner {
  const { claims, settings, queueFor } = parts
  const { jobs: limits, timers, onWarning } = settings
  const handlers = new Map<string | undefined, JobHandlers>()
  const retries = new Set<unknown>()
  let stops: readonly (() => void | Promise<void>)[] = []
  let pumping: Promise<void> | undefined
  let isAskedAgain = false
  let rounds = 0
  let isAway = false

  /** A database that is away is reported once, not with every look at it. */
  const onFault = (error: unknown): void => {
    if (!isAway) onWarning(`jobs: ${messageOf(error)}`)
    isAway = true
  }
  const running = runningJobs({ claims, settings, onFault, onSettled: wake, onRetry: wakeAfter })

  function handlerOf({ kind, key }: Job): JobHandler | undefined {
    const known = handlers.get(key.agent) ?? handlers.get(undefined)
    return known !== undefined && Object.hasOwn(known, kind) ? known[kind] : undefined
  }

  /** Each round begins with another queue, so that a long one starves none. */
  async function queues(): Promise<readonly string[]> {
    const agents = [...handlers.keys()].filter((agent) => agent !== undefined)
    const names = handlers.has(undefined) ? await claims.queues() : await Promise.all(agents.map(queueFor))
    const first = names.length === 0 ? 0 : rounds % names.length
    return [...names.slice(first), ...names.slice(0, first)]
  }

  async function pump(): Promise<void> {
    do {
      isAskedAgain = false
      rounds += 1
      const free = limits.concurrency - running.size
      if (handlers.size === 0 || free <= 0) return
      for (const claimed of await claims.claim(await queues(), free)) await take(claimed)
      isAway = false
    } while (isAskedAgain)
  }

  /** One whose agent was closed meanwhile is left to whoever comes next. */
  async function take(claimed: ClaimedJob): Promise<void> {
    if (handlers.has(claimed.job.key.agent) || handlers.has(undefined)) running.run(claimed, handlerOf(claimed.job))
    else await claims.release(claimed)
  }

  /** One round at a time: what asks meanwhile is answered by one more. */
  function wake(): void {
    if (handlers.size === 0) return
    isAskedAgain = true
    pumping ??= pump()
      .catch(onFault)
      .finally(() => {
        pumping = undefined
      })
  }

  function wakeAfter(waitMs: number): void {
    const handle = timers.set(() => {
      retries.delete(handle)
      wake()
    }, waitMs)
    retries.add(handle)
  }

  async function recall(): Promise<void> {
    for (const [agent, known] of handlers)
      if (await claims.recall(agent === undefined ? await claims.queues() : [await queueFor(agent)], Object.keys(known))) wake()
  }

  function begin(): void {
    const giveBack = () => parts.supervise().then(wake).then(recall).catch(onFault)
    void giveBack()
    const supervise = repeat(timers, limits.superviseSeconds * 1000, giveBack)
    const poll = repeat(timers, limits.pollMs, async () => wake())
    const listener = limits.listen ? parts.listen(wake) : undefined
    stops = [supervise.stop, poll.stop, () => listener?.close()]
  }

  /** What runs is left to `close`, which takes no more beside it: others may go on enqueueing for ever. */
  async function ownIdle(agent: string | undefined): Promise<void> {
    const queue = agent === undefined ? undefined : await queueFor(agent)
    while (handlers.size > 0 && (await claims.canBegin(parts.enqueued.ids(queue), running.ids))) {
      wake()
      await pumping
      await new Promise<void>((resolve) => timers.set(resolve, idlePollMs))
    }
  }

  return {
    wake,
    verify: running.verify,
    recall,
    async start(given, { agent } = {}) {
      handlers.set(agent, given)
      const names = agent === undefined ? await claims.queues() : [await queueFor(agent)]
      for (const name of names) await parts.prepare(name)
      await recall()
      // Closed meanwhile: what would begin now, nobody would end.
      if (handlers.get(agent) !== given) return
      if (stops.length === 0) begin()
      wake()
    },
    async idle({ own = false, agent } = {}) {
      if (own) return ownIdle(agent)
      // One that was not started leaves the work to others and has nothing to wait for.
      while (handlers.size > 0) {
        wake()
        await pumping
        await running.settled()
        if (running.size === 0 && !(await claims.isBusy(await queues()))) return
        await new Promise<void>((resolve) => timers.set(resolve, idlePollMs))
      }
    },
    async close({ drainMs, agent }) {
      if (agent === undefined) handlers.clear()
      else handlers.delete(agent)
      if (handlers.size === 0) {
        for (const handle of retries) timers.clear(handle)
        await Promise.all(stops.map((stop) => stop()))
        stops = []
      }
      await pumping
      await running.drain({ drainMs, ...(agent === undefined ? {} : { agent }) })
    },
    dead: claims.dead,
  }
}
