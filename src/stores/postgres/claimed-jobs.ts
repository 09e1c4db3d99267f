import type { Pool, PoolClient } from "pg"
import type { ConnectionOptions, PgBoss } from "pg-boss"
import type { DeadJob, Job } from "../../services/job-runner.ts"
import { keyText } from "../sql/key-columns.ts"
import { deadQueue, queuePrefix, readDeadJob, readJob, type StoredJob, storeDeadJob } from "./stored-job.ts"

/** A job that this process holds until it settles it or its heartbeats stop. */
export interface ClaimedJob {
  readonly queue: string
  readonly id: string
  /** Tells this try from a later one: what a try settles that is no longer its own changes nothing. */
  readonly retryCount: number
  readonly job: Job
}

/** The steps of a job's life. Of a conversation only the oldest job that is not done can be claimed. */
export interface ClaimedJobs {
  /** At most so many that are due, of these queues. */
  claim(queues: readonly string[], limit: number): Promise<readonly ClaimedJob[]>
  complete(claimed: ClaimedJob): Promise<void>
  /** Back to its place, due again after a wait; its conversation waits with it. */
  fail(claimed: ClaimedJob, reason: string, waitMs: number): Promise<void>
  /** Back to its place as if it had not been claimed, due at once. */
  release(claimed: ClaimedJob): Promise<void>
  /** The same for want of a handler: it is not due for a while, later jobs of its conversation may pass it, and others are told. */
  setAside(claimed: ClaimedJob): Promise<void>
  /** Makes it a dead letter. */
  bury(claimed: ClaimedJob, dead: DeadJob): Promise<void>
  /** Says that its process lives. False where it is no longer this process': forgotten, or taken over. */
  heartbeat(claimed: ClaimedJob): Promise<boolean>
  /** Makes jobs of these kinds due that were set aside; true where there were any. */
  recall(queues: readonly string[], kinds: readonly string[]): Promise<boolean>
  /** True while a job of these queues is held by any process or due. */
  isBusy(queues: readonly string[]): Promise<boolean>
  /** True while one of these jobs is due and behind none of its conversation but such as run here. */
  canBegin(ids: readonly string[], running: readonly string[]): Promise<boolean>
  /** The queues of all agents. */
  queues(): Promise<readonly string[]>
  dead(): Promise<readonly DeadJob[]>
}

/** Told to runners where a job was set aside that one of them may know. */
export const asideMessage = "aside"

/** How long a job is left alone that nobody here has a handler for, unless somebody recalls it. */
const asideMs = 60_000

/** The steps over pg-boss; where it has no call for one, over its table. */
export function claimedJobs(
  engine: PgBoss,
  pool: Pool,
  { jobSchema, channel }: { readonly jobSchema: string; readonly channel: string },
): ClaimedJobs {
  const table = `${jobSchema}.job`
  return {
    async claim(queues, limit) {
      const claimed: ClaimedJob[] = []
      for (const queue of queues) {
        if (claimed.length >= limit) break
        const rows = await engine.fetch<StoredJob>(queue, { batchSize: limit - claimed.length })
        claimed.push(...rows.map(({ id, retryCount, data }) => ({ queue, id, retryCount, job: readJob(data) })))
      }
      return claimed
    },
    async complete(claimed) {
      await engine.complete(claimed.queue, attemptOf(claimed))
    },
    fail: (claimed, reason, waitMs) =>
      transaction(pool, async (client, db) => {
        const failed = await engine.fail(claimed.queue, attemptOf(claimed), { message: storable(reason) }, { db })
        const wait = `update ${table} set start_after = now() + $3 * interval '1 millisecond' where name = $1 and id = $2`
        if (wasHeld(failed)) await client.query(wait, [claimed.queue, claimed.id, waitMs])
      }),
    async release(claimed) {
      await pool.query(unclaim(table), [...attemptKey(claimed), 0])
    },
    async setAside(claimed) {
      const tell = `with aside as (${unclaim(table)} returning id) select pg_notify($5, $6) from aside`
      await pool.query(tell, [...attemptKey(claimed), asideMs, channel, asideMessage])
    },
    bury: (claimed, dead) =>
      transaction(pool, async (client, db) => {
        const completed = await engine.complete(claimed.queue, attemptOf(claimed), null, { db })
        if (!wasHeld(completed)) return
        await engine.insert(deadQueue, [{ id: claimed.id, data: storeDeadJob(dead) }], { db })
        const sameAge = `update ${table} set created_on = (select created_on from ${table} where name = $1 and id = $3) where name = $2 and id = $3`
        await client.query(sameAge, [claimed.queue, deadQueue, claimed.id])
      }),
    async heartbeat(claimed) {
      return wasHeld(await engine.touch(claimed.queue, attemptOf(claimed)))
    },
    async recall(queues, kinds) {
      const { rowCount } = await pool.query(
        `update ${table} set start_after = now()
         where name = any($1) and state = 'created' and start_after > now() and data->>'kind' = any($2)`,
        [queues, kinds.map(keyText)],
      )
      return (rowCount ?? 0) > 0
    },
    async isBusy(queues) {
      const { rows } = await pool.query<{ busy: boolean }>(busyQuery(table), [queues])
      return rows[0]?.busy === true
    },
    async canBegin(ids, running) {
      if (ids.length === 0) return false
      const { rows } = await pool.query<{ due: boolean }>(dueQuery(table), [ids, running])
      return rows[0]?.due === true
    },
    async queues() {
      const query = `select name from ${jobSchema}.queue where starts_with(name, $1) order by name`
      return (await pool.query<{ name: string }>(query, [queuePrefix])).rows.map(({ name }) => name)
    },
    async dead() {
      const query = `select data from ${table} where name = $1 order by start_after, created_on, id`
      return (await pool.query<{ data: StoredJob }>(query, [deadQueue])).rows.map(({ data }) => readDeadJob(data))
    },
  }
}

type EngineDb = NonNullable<ConnectionOptions["db"]>

/** Runs statements, pg-boss' own among them, together or not at all. */
async function transaction(pool: Pool, work: (client: PoolClient, db: EngineDb) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query("begin")
    await work(client, { executeSql: (text, values) => client.query(text, values) })
    await client.query("commit")
    client.release()
  } catch (error) {
    // A connection in an unknown state is not used again; the server takes back what it had begun.
    client.release(true)
    throw error
  }
}

/** Only while it is still this try's. */
function unclaim(table: string): string {
  return `update ${table} set state = 'created', started_on = null, heartbeat_on = null, start_after = now() + $4 * interval '1 millisecond'
    where name = $1 and id = $2 and retry_count = $3 and state = 'active'`
}

function attemptKey({ queue, id, retryCount }: ClaimedJob): readonly unknown[] {
  return [queue, id, retryCount]
}

/** A job behind one that runs or waits for its next try is not due. */
function busyQuery(table: string): string {
  return `select exists (
    select 1 from ${table} j where j.name = any($1) and (j.state = 'active' or (j.state < 'active' and j.start_after <= now()
      and not exists (select 1 from ${table} b where b.name = j.name and b.singleton_key = j.singleton_key
        and b.state in ('retry', 'failed') and b.id <> j.id)))) as busy`
}

/** A job of this process that runs is no longer due; what stands behind it is, once it has ended. */
function dueQuery(table: string): string {
  return `select exists (
    select 1 from ${table} j where j.id = any($1::uuid[]) and starts_with(j.name, '${queuePrefix}') and j.state < 'active' and j.start_after <= now()
      and not exists (select 1 from ${table} b where b.name = j.name and b.singleton_key = j.singleton_key and b.id <> j.id
        and (b.state in ('retry', 'failed') or (b.state = 'active' and not b.id = any($2::uuid[]))))) as due`
}

function attemptOf({ id, retryCount }: ClaimedJob): { readonly id: string; readonly retryCount: number } {
  return { id, retryCount }
}

/** True where the job was this process' and has changed; pg-boss' types leave out the count that it answers with. */
function wasHeld(response: object): boolean {
  return "affected" in response && response.affected === 1
}

/** JSON in PostgreSQL has neither NUL nor half a character. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD")
}
