import type { Pool, PoolClient } from "pg"
import type { ConnectionOptions, PgBoss } from "pg-boss"
import { messageOf } from "../../../core/errors.ts"
import type { DeadJob } from "../../../memory/services/store/job-runner.ts"
import { keyText } from "../../../memory/services/store/rows/row-tables.ts"
import type { ClaimedJob as AnyClaimedJob, JobClaims } from "../../../memory/services/store/running-jobs.ts"
import { heartbeatSeconds } from "./job-engine.ts"
import { isInLine, isQuiet, type SqlJobsParts } from "./sql-jobs.ts"
import { deadQueue, queuePrefix, readDeadJob, readJob, type StoredJob, storeDeadJob } from "./stored-job.ts"

/**
 * A job that this process holds until it settles the job, or until its heartbeats stop. `retryCount` tells this attempt from a later
 * one. An attempt that is no longer the current one changes nothing.
 */
export interface QueuedJob extends AnyClaimedJob {
  readonly queue: string
}

interface ClaimOptions extends Pick<SqlJobsParts, "jobSchema" | "channel"> {
  readonly onWarning: (message: string) => void
}

/** The message to runners that a job was set aside which one of them may have a handler for. */
export const asideMessage = "aside"

/** The moment from which a row's job may run. */
const dueTime = "to_timestamp(coalesce(data->>'due', data->>'quiet', '0')::float8 / 1000)"

/** How long a job without a handler is set aside, unless a process recalls it. */
const asideMs = 60_000

/**
 * The steps of a job's life: by pg-boss, or by SQL on its table where pg-boss has no call. Only the oldest job of a conversation that
 * is not done can be claimed.
 */
export class ClaimedJobs implements JobClaims<QueuedJob> {
  readonly #engine: PgBoss
  readonly #pool: Pool
  readonly #options: ClaimOptions
  readonly #table: string
  /** Ids of jobs that were found damaged: each is told once. */
  readonly #damaged = new Set<string>()

  constructor(engine: PgBoss, pool: Pool, options: ClaimOptions) {
    this.#engine = engine
    this.#pool = pool
    this.#options = options
    this.#table = `${options.jobSchema}.job`
  }

  /** Claims at most `limit` due jobs of these queues. One whose row is damaged is set aside and told. */
  async claim(queues: readonly string[], limit: number): Promise<readonly QueuedJob[]> {
    const claimed: QueuedJob[] = []
    for (const queue of queues) {
      if (claimed.length >= limit) break
      const rows = await this.#engine.fetch<StoredJob>(queue, { batchSize: limit - claimed.length })
      for (const { id, retryCount, data } of rows)
        try {
          claimed.push({ queue, id, retryCount, job: readJob(data) })
        } catch (error) {
          if (!this.#damaged.has(id)) this.#options.onWarning(`jobs: ${messageOf(error)}`)
          this.#damaged.add(id)
          await this.#pool.query(this.#unclaim(), [queue, id, retryCount, asideMs])
        }
    }
    return claimed
  }

  async complete(claimed: QueuedJob): Promise<void> {
    await this.#engine.complete(claimed.queue, attemptOf(claimed))
  }

  /** Puts a job back in its place. It and its conversation wait for `waitMs`. */
  async fail(claimed: QueuedJob, reason: string, waitMs: number): Promise<void> {
    await this.#transaction(async (client, db) => {
      // JSON in PostgreSQL can hold neither NUL nor a lone surrogate.
      const message = reason.toWellFormed().replaceAll("\0", "\uFFFD")
      const failed = await this.#engine.fail(claimed.queue, attemptOf(claimed), { message }, { db })
      const wait = `update ${this.#table} set start_after = now() + $3 * interval '1 millisecond' where name = $1 and id = $2`
      if (wasHeld(failed)) await client.query(wait, [claimed.queue, claimed.id, waitMs])
    })
  }

  /** Puts a job back in its place as if it had not been claimed. It is due at once. */
  async release({ queue, id, retryCount }: QueuedJob): Promise<void> {
    await this.#pool.query(this.#unclaim(), [queue, id, retryCount, 0])
  }

  /** Puts back a job without a handler. It is not due for a while, later jobs of its conversation may pass it, and runners are told. */
  async setAside({ queue, id, retryCount }: QueuedJob): Promise<void> {
    const tell = `with aside as (${this.#unclaim()} returning id) select pg_notify($5, $6) from aside`
    await this.#pool.query(tell, [queue, id, retryCount, asideMs, this.#options.channel, asideMessage])
  }

  /** Makes a job a dead letter. */
  async bury(claimed: QueuedJob, dead: DeadJob): Promise<void> {
    await this.#transaction(async (client, db) => {
      const completed = await this.#engine.complete(claimed.queue, attemptOf(claimed), null, { db })
      if (!wasHeld(completed)) return
      await this.#engine.insert(deadQueue, [{ id: claimed.id, data: storeDeadJob(dead) }], { db })
      const age = `select created_on from ${this.#table} where name = $1 and id = $3`
      const sameAge = `update ${this.#table} set created_on = (${age}) where name = $2 and id = $3`
      await client.query(sameAge, [claimed.queue, deadQueue, claimed.id])
    })
  }

  /** Keeps a job from being taken over. False when this process no longer holds it: it was deleted or taken over. */
  async heartbeat(claimed: QueuedJob): Promise<boolean> {
    return wasHeld(await this.#engine.touch(claimed.queue, attemptOf(claimed)))
  }

  /** Makes jobs of these kinds due that were set aside. True when there were any. */
  async recall(queues: readonly string[], kinds: readonly string[]): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `update ${this.#table} set start_after = now()
       where name = any($1) and state = 'created' and ${isInLine} and start_after > now() and data->>'kind' = any($2) and ${dueTime} <= now()`,
      [queues, kinds.map(keyText)],
    )
    return (rowCount ?? 0) > 0
  }

  /** Makes jobs due that wait for their conversation to be quiet. */
  async hasten(queues: readonly string[]): Promise<void> {
    await this.#pool.query(`update ${this.#table} set start_after = now() where name = any($1) and ${isQuiet}`, [queues])
  }

  /**
   * Ends the times of jobs that lie further ahead than they can, because the server's clock was set back: a lease counts from now, so
   * that a process that lives can renew it, and a job that waits longer than `longestWaitMs` is due.
   */
  async endFutureTimes(longestWaitMs: number): Promise<void> {
    const lease = `now() + ${2 * heartbeatSeconds} * interval '1 second'`
    await this.#pool.query(
      `update ${this.#table} set started_on = least(started_on, now()), heartbeat_on = least(heartbeat_on, now()),
         start_after = least(start_after, greatest(now(), ${dueTime}))
       where starts_with(name, $1) and ((state = 'active' and (heartbeat_on > ${lease} or started_on > ${lease}))
         or (state < 'active' and start_after > greatest(now(), ${dueTime}) + $2 * interval '1 millisecond'))`,
      [queuePrefix, 2 * Math.max(longestWaitMs, asideMs)],
    )
  }

  /** True while a job of these queues is due or held by any process. A job behind a running or failed one is not due. */
  async isBusy(queues: readonly string[]): Promise<boolean> {
    const query = `select exists (
      select 1 from ${this.#table} j where j.name = any($1) and ${isInLine} and (j.state = 'active' or (j.state < 'active' and j.start_after <= now()
        and not exists (select 1 from ${this.#table} b where b.name = j.name and b.singleton_key = j.singleton_key
          and b.state in ('retry', 'failed') and b.id <> j.id)))) as busy`
    return (await this.#pool.query<{ busy: boolean }>(query, [queues])).rows[0]?.busy === true
  }

  /** True while one of these jobs is due, or stands only behind jobs of its conversation that run in this process. */
  async canBegin(ids: readonly string[], running: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return false
    const query = `select exists (
      select 1 from ${this.#table} j where j.id = any($1::uuid[]) and starts_with(j.name, '${queuePrefix}') and j.state < 'active'
        and j.start_after <= now()
        and not exists (select 1 from ${this.#table} b where b.name = j.name and b.singleton_key = j.singleton_key and b.id <> j.id
          and (b.state in ('retry', 'failed') or (b.state = 'active' and not b.id = any($2::uuid[]))))) as due`
    return (await this.#pool.query<{ due: boolean }>(query, [ids, running])).rows[0]?.due === true
  }

  /** The queues of all agents. */
  async queues(): Promise<readonly string[]> {
    const query = `select name from ${this.#options.jobSchema}.queue where starts_with(name, $1) order by name`
    return (await this.#pool.query<{ name: string }>(query, [queuePrefix])).rows.map(({ name }) => name)
  }

  /** The dead letters, oldest first. */
  async dead(): Promise<readonly DeadJob[]> {
    const query = `select data from ${this.#table} where name = $1 order by start_after, created_on, id`
    return (await this.#pool.query<{ data: StoredJob }>(query, [deadQueue])).rows.map(({ data }) => readDeadJob(data))
  }

  /** Puts a job back, if this attempt is still the current one. */
  #unclaim(): string {
    return `update ${this.#table} set state = 'created', started_on = null, heartbeat_on = null,
        start_after = now() + $4 * interval '1 millisecond'
      where name = $1 and id = $2 and retry_count = $3 and state = 'active'`
  }

  /** Runs statements, with those of pg-boss, together or not at all. */
  async #transaction(work: (client: PoolClient, db: NonNullable<ConnectionOptions["db"]>) => Promise<void>): Promise<void> {
    const client = await this.#pool.connect()
    try {
      await client.query("begin")
      await work(client, { executeSql: (text, values) => client.query(text, values) })
      await client.query("commit")
      client.release()
    } catch (error) {
      // The state of the connection is unknown, so it is closed. The server then rolls back.
      client.release(true)
      throw error
    }
  }
}

function attemptOf({ id, retryCount }: QueuedJob): { readonly id: string; readonly retryCount: number } {
  return { id, retryCount }
}

/** True when the job was held by this process and has changed. The types of pg-boss leave out the count in its response. */
function wasHeld(response: object): boolean {
  return "affected" in response && response.affected === 1
}
