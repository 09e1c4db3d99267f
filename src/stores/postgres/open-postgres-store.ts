import type { Pool } from "pg"
import { PromptStrataError } from "../../core/errors.ts"
import type { JobRunner } from "../../services/job-runner.ts"
import type { Store } from "../../services/store.ts"
import { runnerOfOpenStore, storeClosed } from "../../services/store-closed.ts"
import { migrate } from "../sql/migrate.ts"
import { SessionCache } from "../sql/session/session-cache.ts"
import type { SqlJobs } from "../sql/sql-database.ts"
import { schemaMigrations } from "../sql/sql-schema.ts"
import { createSqlStore } from "../sql/sql-store.ts"
import { unrefTimers } from "../unref-timers.ts"
import { asideMessage, claimedJobs } from "./claimed-jobs.ts"
import { type ConnectionTarget, connectionTarget, withoutSecrets } from "./connection-url.ts"
import { jobQueues, queueSettings, startJobEngine } from "./job-engine.ts"
import { type Drivers, listeningClient, loadDrivers, openPool, postgresDatabase } from "./postgres-database.ts"
import { postgresFault } from "./postgres-fault.ts"
import { createPostgresJobRunner } from "./postgres-job-runner.ts"
import { type PostgresSettings, type PostgresStoreOptions, postgresSettings } from "./postgres-options.ts"
import { enqueuedJobs, goneMessage, postgresSqlJobs } from "./sql-jobs.ts"
import { listenForWakeUps } from "./wake-up.ts"

/**
 * Opens a store in a PostgreSQL database: makes its tables and pg-boss' where they are missing, however many processes do so at once.
 * Throws `store` with advice where the server cannot be reached or refuses, `usage` for a URL that is none, `missing-dependency`
 * without the packages `pg` and `pg-boss`. No error and no warning holds the password.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const settings = postgresSettings(options)
  const target = connectionTarget(options.url)
  const drivers = await loadDrivers()
  const pool = openPool(drivers, settings, target)
  const database = postgresDatabase(pool, drivers, target)
  let closing: Promise<void> | undefined
  try {
    await migrate(database, { part: "core", migrations: schemaMigrations })
    const cache = new SessionCache(options.timers ?? unrefTimers)
    const jobs = await openJobs(pool, drivers, { settings, target, onGone: () => cache.clear() })
    return prepared(
      createSqlStore({
        database,
        jobs: jobs.sql,
        runner: jobs.runner,
        cache,
        // Other processes are told; this one hears it without a connection that listens as well.
        stopForgotten: () => undefined,
        async erase() {},
        checkFile: async () => [],
        close: () => {
          closing ??= jobs.close().finally(() => database.close())
          return closing
        },
      }),
      jobs.prepare,
    )
  } catch (error) {
    await database.close()
    throw postgresFault(error, target)
  }
}

/** The store, which makes an agent's queue before the first transaction that needs it: making one takes a connection of its own. */
function prepared(store: Store, prepare: (agent: string) => Promise<unknown>): Store {
  return {
    ...store,
    async commit(key, commit) {
      for (const agent of new Set(commit.jobs.map((job) => job.key.agent))) await prepare(agent)
      return store.commit(key, commit)
    },
  }
}

/** The jobs of a store: how they are written and how they are run. */
interface OpenJobs {
  readonly sql: SqlJobs
  readonly runner: JobRunner
  /** To be called before a transaction that enqueues jobs of this agent. */
  readonly prepare: (agent: string) => Promise<unknown>
  close(): Promise<void>
}

/** How long closing a store waits for jobs that run. */
const drainMs = 5_000

/** Starts pg-boss and puts a runner on it, which takes no jobs yet. */
async function openJobs(
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
