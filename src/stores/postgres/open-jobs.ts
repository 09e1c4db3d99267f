import type { Pool } from "pg"
import { PromptStrataError } from "../../core/errors.ts"
import type { JobRunner } from "../../services/store/job-runner.ts"
import { runnerOfOpenStore, storeClosed } from "../../services/store/store.ts"
import type { SqlJobs } from "../sql/sql-database.ts"
import { asideMessage, claimedJobs } from "./claimed-jobs.ts"
import { type ConnectionTarget, withoutSecrets } from "./connection-url.ts"
import type { Drivers } from "./drivers.ts"
import { enqueuedJobs } from "./enqueued-jobs.ts"
import { queueSettings, startJobEngine } from "./job-engine.ts"
import { jobQueues } from "./job-queues.ts"
import { listeningClient } from "./pool.ts"
import { postgresFault } from "./postgres-fault.ts"
import { createPostgresJobRunner } from "./postgres-job-runner.ts"
import type { PostgresSettings } from "./postgres-options.ts"
import { goneMessage, postgresSqlJobs } from "./sql-jobs.ts"
import { listenForWakeUps } from "./wake-up.ts"

/** The jobs of a store: how they are written and how they are run. */
export interface OpenJobs {
  readonly sql: SqlJobs
  readonly runner: JobRunner
  /** To be called before a transaction that enqueues jobs of this agent. */
  readonly prepare: (agent: string) => Promise<unknown>
  close(): Promise<void>
}

/** How long closing a store waits for jobs that run. */
const drainMs = 5_000

/** Starts pg-boss and puts a runner on it, which takes no jobs yet. */
export async function openJobs(
  pool: Pool,
  drivers: Drivers,
  {
    settings,
    target,
    onGone,
  }: {
    readonly settings: PostgresSettings
    readonly target: ConnectionTarget
    /** Told where a listening runner hears that something was forgotten. */
    readonly onGone: () => void
  },
): Promise<OpenJobs> {
  const { jobSchema, timers, random } = settings
  const channel = `promptstrata_${jobSchema}`
  const onWarning = (message: string) => settings.onWarning(withoutSecrets(message, target))
  const engine = await startJobEngine(pool, drivers, { settings, target })
  const queues = jobQueues(engine, settings)
  const enqueued = enqueuedJobs()
  let isDrained = false
  const runner = createPostgresJobRunner({
    enqueued,
    claims: claimedJobs(engine, pool, { jobSchema, channel }),
    settings: { ...settings, onWarning },
    queueFor: queues.ensure,
    prepare: (queue) => engine.updateQueue(queue, queueSettings(settings)),
    // Rebuilding an index can take long; jobs of dead processes do not wait for that.
    supervise: () => engine.supervise(undefined, { reindex: false }),
    listen: (onWake) =>
      listenForWakeUps({
        connect: () => listeningClient(drivers, settings),
        channel,
        timers,
        random,
        onWarning,
        onMessage: (message) => {
          // Who sets a job aside must not wake up to claim it again.
          if (message === asideMessage) runner.recall().catch(() => undefined)
          else onWake()
          if (message === goneMessage) {
            onGone()
            verify()
          }
        },
      }),
  })
  const verify = () => void runner.verify().catch(() => undefined)
  const onChange = (what: "more" | "gone") => (what === "gone" ? verify() : runner.wake())
  const name = `The store at ${target.shown}`
  const told = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw isDrained && !PromptStrataError.isInstance(error)
        ? storeClosed(name, { database: target.shown })
        : postgresFault(error, target)
    })
  return {
    sql: postgresSqlJobs({ engine, drivers, queues, enqueued, jobSchema, channel, onChange }),
    runner: runnerOfOpenStore(
      {
        start: (handlers, options) => told(runner.start(handlers, options)),
        idle: (options) => told(runner.idle(options)),
        close: (options) => told(runner.close(options)),
        dead: () => told(runner.dead()),
      },
      { store: name, isClosed: () => isDrained },
    ),
    prepare: (agent) => told(queues.ensure(agent)),
    async close() {
      await runner.close({ drainMs }).finally(() => {
        isDrained = true
      })
      // Of agents that were made while the others' jobs were waited for.
      await runner.close({ drainMs: 0 })
      await engine.stop({ graceful: false, close: false })
    },
  }
}
