import type { Pool } from "pg"
import type { PgBoss } from "pg-boss"
import { messageOf } from "../../../core/errors.ts"
import { type ConnectionTarget, withoutSecrets } from "./connection-url.ts"
import type { Drivers } from "./postgres-database.ts"
import type { PostgresSettings } from "./postgres-options.ts"
import { deadQueue, queueOf } from "./stored-job.ts"

/** pg-boss deletes jobs that wait longer. A job may wait this long for a plugin that is to come back. */
const tenYearsSeconds = 10 * 365 * 86_400

/** Completed jobs are kept for a day, so that a job enqueued twice is done once. After that their effects are keyed by their turn. */
const daySeconds = 86_400

/** A job is taken over when its process has sent no heartbeat for so long. */
export const heartbeatSeconds = 30

/** A pg-boss on the store's own connections, which is not started and runs nothing by itself. */
export function jobEngine(pool: Pool, { boss }: Pick<Drivers, "boss">, { jobSchema, jobs }: PostgresSettings): PgBoss {
  return new boss.PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema: jobSchema,
    supervise: false,
    schedule: false,
    // A call of `supervise` does nothing before this time is over. The default would hide a dead process for a minute.
    monitorIntervalSeconds: jobs.superviseSeconds,
  })
}

/** Starts pg-boss and brings its tables up to date. */
export async function startJobEngine(
  pool: Pool,
  drivers: Pick<Drivers, "boss">,
  { settings, target }: { readonly settings: PostgresSettings; readonly target: ConnectionTarget },
): Promise<PgBoss> {
  const engine = jobEngine(pool, drivers, settings)
  engine.on("error", (error) => settings.onWarning(withoutSecrets(`jobs: ${messageOf(error)}`, target)))
  try {
    await oneProcessAtATime(pool, async () => {
      await engine.start()
      await engine.createQueue(deadQueue, { retentionSeconds: tenYearsSeconds })
    })
    return engine
  } catch (error) {
    await engine.stop({ graceful: false, close: false })
    throw error
  }
}

/** The advisory lock under which pg-boss is started: "jobs" in ASCII. Nothing else in the database may use this number. */
export const startLock = 0x6a_6f_62_73

/** Two processes that make the schema of pg-boss at the same time would disturb each other. */
async function oneProcessAtATime(pool: Pool, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query("select pg_advisory_lock($1)", [startLock])
    await work()
    await client.query("select pg_advisory_unlock($1)", [startLock])
    client.release()
  } catch (error) {
    // Closing the connection frees the lock.
    client.release(true)
    throw error
  }
}

/** The settings of an agent's queue. The runner decides when a job has had its attempts, so pg-boss itself never gives one up. */
export function queueSettings({ jobs }: PostgresSettings) {
  return {
    retryLimit: 2_147_483_647,
    // The runner sets the wait of a failed job. A job whose process died is due at once.
    retryDelay: 0,
    // A little more than the runner's own limit, which ends the attempt first while its process lives.
    expireInSeconds: Math.ceil(jobs.timeoutMs / 1000) + 1,
    heartbeatSeconds,
    retentionSeconds: tenYearsSeconds,
    deleteAfterSeconds: daySeconds,
  }
}

/**
 * Returns a function that gives the queue of an agent and makes it if it is missing, asking the database once for each agent. Do not
 * call it within a transaction for an agent that is new: making a queue takes a connection of its own.
 */
export function agentQueues(engine: PgBoss, settings: PostgresSettings): (agent: string) => Promise<string> {
  const known = new Map<string, Promise<string>>()

  async function make(agent: string): Promise<string> {
    const name = queueOf(agent)
    await engine.createQueue(name, { policy: "key_strict_fifo", ...queueSettings(settings) })
    // pg-boss reads a queue's properties at the first insert. This does it now and not within a turn's transaction.
    await engine.insert(name, [])
    return name
  }

  return (agent) => {
    const waiting = known.get(agent)
    if (waiting) return waiting
    const made = make(agent)
    known.set(agent, made)
    made.catch(() => known.delete(agent))
    return made
  }
}
