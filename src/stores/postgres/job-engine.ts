import type { Pool } from "pg"
import type { PgBoss } from "pg-boss"
import { messageOf } from "../../core/errors.ts"
import { type ConnectionTarget, withoutSecrets } from "./connection-url.ts"
import type { Drivers } from "./postgres-database.ts"
import type { PostgresSettings } from "./postgres-options.ts"
import { deadQueue, queueOf } from "./stored-job.ts"

/** Longer than anybody waits for a plugin to come back: pg-boss deletes what waits longer. */
const tenYearsSeconds = 10 * 365 * 86_400

/** Completed jobs are known for a day, so that one enqueued twice is one; their effects are keyed by their turns for ever. */
const daySeconds = 86_400

/** A job whose process has not said that it lives for so long is taken over. */
const heartbeatSeconds = 30

/** How often a process says so. */
export const heartbeatMs = 10_000

/** pg-boss over the store's own connections, started: its tables are there and up to date. It runs nothing by itself. */
export async function startJobEngine(
  pool: Pool,
  { boss }: Pick<Drivers, "boss">,
  { settings, target }: { readonly settings: PostgresSettings; readonly target: ConnectionTarget },
): Promise<PgBoss> {
  const engine = new boss.PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema: settings.jobSchema,
    supervise: false,
    schedule: false,
    // A pass by hand does nothing before this time is over: the default would hide a dead process for a minute.
    monitorIntervalSeconds: settings.jobs.superviseSeconds,
  })
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

/** The advisory lock under which pg-boss is started. Any number, as long as nobody else in the database locks by it: "jobs" in ASCII. */
export const startLock = 0x6a_6f_62_73

/** Processes that make pg-boss' schema at the same time get in each other's way. */
async function oneProcessAtATime(pool: Pool, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query("select pg_advisory_lock($1)", [startLock])
    await work()
    await client.query("select pg_advisory_unlock($1)", [startLock])
    client.release()
  } catch (error) {
    // The lock goes with its connection.
    client.release(true)
    throw error
  }
}

/** How a queue of jobs is kept. Whether a job has had its tries is decided by its runner, so pg-boss never gives one up itself. */
export function queueSettings({ jobs }: PostgresSettings) {
  return {
    retryLimit: 2_147_483_647,
    // Its runner says how long a failed one waits; one whose process died is due at once.
    retryDelay: 0,
    // A little more than the runner's own limit, which comes first where its process lives.
    expireInSeconds: Math.ceil(jobs.timeoutMs / 1000) + 1,
    heartbeatSeconds,
    retentionSeconds: tenYearsSeconds,
    deleteAfterSeconds: daySeconds,
  }
}

/** The queues that are known to be there. */
export interface JobQueues {
  /** Makes an agent's queue where it is missing. Never within a transaction: it takes a connection of its own. */
  ensure(agent: string): Promise<string>
}

/** Remembers which queues are there: one question for each agent and process. */
export function jobQueues(engine: PgBoss, settings: PostgresSettings): JobQueues {
  const known = new Map<string, Promise<string>>()

  async function make(agent: string): Promise<string> {
    const name = queueOf(agent)
    await engine.createQueue(name, { policy: "key_strict_fifo", ...queueSettings(settings) })
    // pg-boss asks for a queue's properties before its first job: here and not in the midst of a turn's transaction.
    await engine.insert(name, [])
    return name
  }

  return {
    ensure(agent) {
      const waiting = known.get(agent)
      if (waiting) return waiting
      const made = make(agent)
      known.set(agent, made)
      made.catch(() => known.delete(agent))
      return made
    },
  }
}
