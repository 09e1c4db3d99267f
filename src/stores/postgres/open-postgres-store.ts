import type { Pool } from "pg"
import type { PgBoss } from "pg-boss"
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
import { asideMessage, ClaimedJobs } from "./claimed-jobs.ts"
import { type ConnectionTarget, connectionTarget, withoutSecrets } from "./connection-url.ts"
import { agentQueues, queueSettings, startJobEngine } from "./job-engine.ts"
import { type Drivers, listeningClient, loadDrivers, openPool, postgresDatabase } from "./postgres-database.ts"
import { postgresFault } from "./postgres-fault.ts"
import { PostgresJobRunner } from "./postgres-job-runner.ts"
import { type PostgresSettings, type PostgresStoreOptions, postgresSettings } from "./postgres-options.ts"
import { EnqueuedJobs, goneMessage, PostgresSqlJobs } from "./sql-jobs.ts"
import { WakeUpListener } from "./wake-up.ts"

/**
 * Opens a store in a PostgreSQL database. Makes its tables and those of pg-boss where they are missing; several processes may do so at
 * once. Throws `store` with advice when the server cannot be reached or refuses, `usage` for a wrong URL or option, and
 * `missing-dependency` without the packages `pg` and `pg-boss`. No error or warning contains the password.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const settings = postgresSettings(options)
  const target = connectionTarget(options.url)
  const drivers = await loadDrivers()
  const pool = openPool(drivers, settings, target)
  const database = postgresDatabase(pool, drivers, target)
  let closing: Promise<void> | undefined
  try {
    await migrate(database, "core", schemaMigrations)
    const cache = new SessionCache(options.timers ?? unrefTimers)
    const jobs = await openJobs({ pool, drivers, settings, target, onGone: () => cache.clear() })
    const store = createSqlStore({
      database,
      jobs: jobs.sql,
      runner: jobs.runner,
      cache,
      // A deletion notifies the other processes; in this one `onChange` stops the jobs.
      stopForgotten: () => undefined,
      async erase() {},
      checkFile: async () => [],
      close: () => {
        closing ??= jobs.close().finally(() => database.close())
        return closing
      },
    })
    return withQueues(store, jobs.prepare)
  } catch (error) {
    await database.close()
    throw postgresFault(error, target)
  }
}

/** Makes an agent's queue before the first transaction that needs it, because making one takes a connection of its own. */
function withQueues(store: Store, prepare: OpenJobs["prepare"]): Store {
  return {
    ...store,
    async commit(key, commit) {
      for (const agent of new Set(commit.jobs.map((job) => job.key.agent))) await prepare(agent)
      return store.commit(key, commit)
    },
  }
}

/** The jobs of a store. */
interface OpenJobs {
  readonly sql: SqlJobs
  readonly runner: JobRunner
  /** To be called before a transaction that enqueues jobs of this agent. */
  readonly prepare: (agent: string) => Promise<unknown>
  close(): Promise<void>
}

/** An open database, and what to do when its data are deleted. */
interface JobsParts {
  readonly pool: Pool
  readonly drivers: Drivers
  readonly settings: PostgresSettings
  readonly target: ConnectionTarget
  /** Called when a listening runner hears of a deletion. */
  readonly onGone: () => void
}

/** How long closing a store waits for running jobs. */
const drainMs = 5_000

/** Starts pg-boss and makes a runner, which takes no jobs yet. */
async function openJobs(parts: JobsParts): Promise<OpenJobs> {
  const { pool, drivers, settings, target } = parts
  const { jobSchema } = settings
  const channel = `promptstrata_${jobSchema}`
  const engine = await startJobEngine(pool, drivers, { settings, target })
  const queueFor = agentQueues(engine, settings)
  const enqueued = new EnqueuedJobs()
  const claims = new ClaimedJobs(engine, pool, { jobSchema, channel })
  const runner = runnerOver(parts, { engine, channel, queueFor, enqueued, claims })
  const onChange = (what: "more" | "gone") => (what === "gone" ? verify(runner) : runner.wake())
  let isDrained = false
  const name = `The store at ${target.shown}`
  const withFault: WithFault = (work) =>
    work.catch((error: unknown) => {
      throw isDrained && !PromptStrataError.isInstance(error)
        ? storeClosed(name, { database: target.shown })
        : postgresFault(error, target)
    })
  return {
    sql: new PostgresSqlJobs({ engine, drivers, queueFor, enqueued, jobSchema, channel, onChange }),
    runner: runnerOfOpenStore(withFaults(runner, withFault), { store: name, isClosed: () => isDrained }),
    prepare: (agent) => withFault(queueFor(agent)),
    async close() {
      await runner.close({ drainMs }).finally(() => {
        isDrained = true
      })
      // An agent may have been started during the wait.
      await runner.close({ drainMs: 0 })
      await engine.stop({ graceful: false, close: false })
    },
  }
}

/** Turns errors of the driver into errors of this library. */
type WithFault = <T>(work: Promise<T>) => Promise<T>

function withFaults(runner: JobRunner, withFault: WithFault): JobRunner {
  return {
    start: (handlers, options) => withFault(runner.start(handlers, options)),
    idle: (options) => withFault(runner.idle(options)),
    close: (options) => withFault(runner.close(options)),
    dead: () => withFault(runner.dead()),
  }
}

function verify(runner: PostgresJobRunner): void {
  runner.verify().catch(() => undefined)
}

interface RunnerInput {
  readonly engine: PgBoss
  readonly channel: string
  readonly queueFor: (agent: string) => Promise<string>
  readonly enqueued: EnqueuedJobs
  readonly claims: ClaimedJobs
}

function runnerOver({ drivers, settings, target, onGone }: JobsParts, input: RunnerInput): PostgresJobRunner {
  const { engine, channel, queueFor, enqueued, claims } = input
  const { timers, random } = settings
  const onWarning = (message: string) => settings.onWarning(withoutSecrets(message, target))
  const connect = () => listeningClient(drivers, settings)
  const runner = new PostgresJobRunner({
    enqueued,
    claims,
    settings: { ...settings, onWarning },
    queueFor,
    prepare: (queue) => engine.updateQueue(queue, queueSettings(settings)),
    // Rebuilding an index can take long. Jobs of dead processes must not wait for it.
    supervise: () => engine.supervise(undefined, { reindex: false }),
    listen: (onWake) => {
      const onMessage = (message: string) => {
        // A job that was set aside only concerns runners with a handler for it. The others must not wake up and claim it again.
        if (message === asideMessage) runner.recall().catch(() => undefined)
        else onWake()
        if (message !== goneMessage) return
        onGone()
        verify(runner)
      }
      return new WakeUpListener({ connect, channel, timers, random, onWarning, onMessage })
    },
  })
  return runner
}
