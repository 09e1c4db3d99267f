import type { Client, Pool } from "pg"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { hostTimers, type RandomSource, type Timers } from "../../../core/ports.ts"
import { growingWaitMs, quietTimers } from "../../../core/timers.ts"
import { runnerOfOpenStore, storeClosed } from "../../../memory/services/store/store.ts"
import type { DatabaseStore } from "../database-store.ts"
import { migrations, updateSchema } from "../sql/migrate.ts"
import { SessionCache } from "../sql/session/session-cache.ts"
import type { SqlDatabase } from "../sql/sql-database.ts"
import { createSqlStore, drainOf } from "../sql/sql-store.ts"
import { asideMessage, ClaimedJobs } from "./claimed-jobs.ts"
import { type ConnectionTarget, connectionTarget, withoutSecrets } from "./connection-url.ts"
import { agentQueues, jobEngine, queueSettings, startJobEngine } from "./job-engine.ts"
import { listeningClient, loadDrivers, openPool, postgresDatabase } from "./postgres-database.ts"
import { postgresFault } from "./postgres-fault.ts"
import { PostgresJobRunner } from "./postgres-job-runner.ts"
import { type PostgresSettings, type PostgresStoreOptions, postgresSettings } from "./postgres-options.ts"
import { EnqueuedJobs, goneMessage, PostgresSqlJobs, type SqlJobsParts } from "./sql-jobs.ts"

/** The parts of a {@link WakeUpListener}. */
interface WakeUpOptions {
  /** Makes a new client; a client of `pg` connects only once. */
  readonly connect: () => Client
  readonly channel: string
  readonly timers: Timers
  readonly random: RandomSource
  /** Called with every message. Called with an empty one after each connection, because messages may have been missed before. */
  readonly onMessage: (message: string) => void
  readonly onWarning: (message: string) => void
}

const listenAgain = { baseMs: 500, maxMs: 30_000 }

/** Listens on a connection of its own. When that is lost it connects again, with backoff and jitter, until it is closed. */
export class WakeUpListener {
  readonly #options: WakeUpOptions
  #isClosed = false
  #client: Client | undefined
  #failures = 0
  #waiting: unknown

  constructor(options: WakeUpOptions) {
    this.#options = options
    void this.#listen()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#options.timers.clear(this.#waiting)
    const client = this.#client
    this.#client = undefined
    // A client that never connected rejects, which does not matter.
    await client?.end().catch(() => undefined)
  }

  async #listen(): Promise<void> {
    const { connect, channel, onMessage } = this.#options
    const client = connect()
    this.#client = client
    client.on("error", (error) => this.#lost(client, messageOf(error)))
    client.on("end", () => this.#lost(client, "it ended"))
    client.on("notification", ({ payload = "" }) => onMessage(payload))
    try {
      await client.connect()
      await client.query(`listen "${channel}"`)
      if (this.#isClosed) return
      this.#failures = 0
      onMessage("")
    } catch (error) {
      this.#lost(client, messageOf(error))
    }
  }

  #lost(client: Client, reason: string): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.end().catch(() => undefined)
    if (this.#isClosed) return
    const { timers, random, onWarning } = this.#options
    if (this.#failures === 0) onWarning(`jobs: not woken at once until the listening connection is back (${reason})`)
    this.#failures += 1
    this.#waiting = timers.set(() => void this.#listen(), growingWaitMs(this.#failures, listenAgain, random))
  }
}

/**
 * Opens a store in a PostgreSQL database. Makes its tables and those of pg-boss where they are missing; several processes may do so at
 * once. Throws `store` with advice when the server cannot be reached or refuses, `usage` for a wrong URL or option, and
 * `missing-dependency` without the packages `pg` and `pg-boss`. No error or warning contains the password.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<DatabaseStore> {
  const settings = postgresSettings(options)
  const target = connectionTarget(options.url)
  const drivers = await loadDrivers()
  const pool = openPool(drivers, settings, target)
  const database = postgresDatabase(pool, { target, onWarning: settings.onWarning })
  try {
    await updateSchema(database, { core: migrations.store }, settings.onWarning)
    const engine = await startJobEngine(pool, drivers, { settings, target })
    const { jobSchema } = settings
    const queueFor = agentQueues(engine, settings)
    const jobs = { engine, jobSchema, channel: `promptstrata_${jobSchema}`, queueFor, enqueued: new EnqueuedJobs() }
    const cache = new SessionCache(options.timers ?? quietTimers(hostTimers))
    return storeOver({ settings, target, drivers, pool, database, cache, ...jobs })
  } catch (error) {
    await database.close()
    throw postgresFault(error, target)
  }
}

/** An open database with pg-boss started, from which the parts of a store are made. */
interface OpenDatabase extends Omit<SqlJobsParts, "onChange"> {
  readonly settings: PostgresSettings
  readonly target: ConnectionTarget
  readonly pool: Pool
  readonly database: SqlDatabase
  readonly cache: SessionCache
}

function storeOver(open: OpenDatabase): DatabaseStore {
  const { target, database, cache, engine, queueFor } = open
  const runner = runnerOver(open)
  const name = `The store at ${target.shown}`
  const evidence = { database: target.shown }
  const { isDrained, drain } = drainOf(runner)
  /** Turns errors of the driver into errors of this library. */
  const withFault = <T>(work: Promise<T>) =>
    work.catch((error: unknown): never => {
      throw isDrained() && !PromptStrataError.isInstance(error) ? storeClosed(name, evidence) : postgresFault(error, target)
    })
  const store = createSqlStore({
    database,
    jobs: new PostgresSqlJobs({ ...open, onChange: (what) => (what === "gone" ? verify(runner) : runner.wake()) }),
    runner: runnerOfOpenStore(runner, { store: name, evidence, isClosed: isDrained, around: withFault }),
    cache,
    // A deletion notifies the other processes; in this one `onChange` stops the jobs.
    stopForgotten: () => undefined,
    async erase() {},
    checkFile: async () => [],
    close: () =>
      drain()
        .then(() => engine.stop({ graceful: false, close: false }))
        .finally(() => database.close()),
  })
  return withQueues(store, (agent) => withFault(queueFor(agent)))
}

/** Makes an agent's queue before the first transaction that needs it, because making one takes a connection of its own. */
function withQueues(store: DatabaseStore, queueFor: (agent: string) => Promise<string>): DatabaseStore {
  const { commit: commitTurn } = store
  const commit: DatabaseStore["commit"] = async (key, turn) => {
    for (const agent of new Set(turn.jobs.map((job) => job.key.agent))) await queueFor(agent)
    return commitTurn(key, turn)
  }
  return Object.assign(store, { commit })
}

/** Makes a runner, which takes no jobs yet. */
function runnerOver(open: OpenDatabase): PostgresJobRunner {
  const { settings, target, drivers, pool, cache, engine, channel, queueFor, enqueued } = open
  const { timers, random } = settings
  const onWarning = (message: string) => settings.onWarning(withoutSecrets(message, target))
  const connect = () => listeningClient(drivers, settings)
  const claims = new ClaimedJobs(engine, pool, { ...open, onWarning })
  const runner = new PostgresJobRunner({
    enqueued,
    claims,
    settings: { ...settings, onWarning },
    queueFor,
    // By an engine of its own: an engine forgets a queue that it updates, and a turn's transaction would wait for a second connection.
    prepare: (queue) => jobEngine(pool, drivers, settings).updateQueue(queue, queueSettings(settings)),
    async supervise() {
      await claims.endFutureTimes(settings.jobs.maxWaitMs)
      // Rebuilding an index can take long. Jobs of dead processes must not wait for it.
      await engine.supervise(undefined, { reindex: false })
    },
    listen: (onWake) => {
      const onMessage = (message: string) => {
        // A job that was set aside only concerns runners with a handler for it. The others must not wake up and claim it again.
        if (message === asideMessage) runner.recall().catch(() => undefined)
        else onWake()
        if (message !== goneMessage) return
        cache.clear()
        verify(runner)
      }
      return new WakeUpListener({ connect, channel, timers, random, onWarning, onMessage })
    },
  })
  return runner
}

function verify(runner: PostgresJobRunner): void {
  runner.verify().catch(() => undefined)
}
