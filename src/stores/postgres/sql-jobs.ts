import type { RawBuilder, Sql } from "kysely"
import type { PgBoss } from "pg-boss"
import type { Job } from "../../services/job-runner.ts"
import { keyText } from "../sql/key-columns.ts"
import type { OwnedKeys, SqlJobs } from "../sql/sql-database.ts"
import type { Queries } from "../sql/sql-tables.ts"
import type { JobQueues } from "./job-engine.ts"
import type { Drivers } from "./postgres-database.ts"
import { deadQueue, type JobRowColumns, jobRowOf, jobUuid, lineOf, queuePrefix, storeDeadJob, storeJob } from "./stored-job.ts"

/** Told to runners where jobs that may be running were deleted. */
export const goneMessage = "gone"

/** What the jobs' statements are made with. */
interface SqlJobsParts {
  readonly engine: PgBoss
  readonly drivers: Drivers
  readonly queues: JobQueues
  readonly enqueued: EnqueuedJobs
  readonly jobSchema: string
  readonly channel: string
  /** A transaction has ended that changed jobs; with `gone` it deleted some. */
  readonly onChange: (what: "more" | "gone") => void
}

/** Jobs as rows of pg-boss, written by the transaction that the shared statements run in. */
export function postgresSqlJobs({ engine, drivers, queues, enqueued, jobSchema, channel, onChange }: SqlJobsParts): SqlJobs {
  const { sql } = drivers.kysely
  const table = sql.table(`${jobSchema}.job`)
  const isWaiting = sql<boolean>`(name <> ${deadQueue} and state in ('created', 'retry', 'active'))`
  let hasDeleted = false

  const tell = (db: Queries, message: string) => sql`select pg_notify(${channel}, ${message})`.execute(db)

  /** False where its id is known. Jobs of one transaction have one time; their order is that of these statements. */
  async function insert(db: Queries, job: Job, attempts = 0): Promise<boolean> {
    const name = await queues.ensure(job.key.agent)
    const id = jobUuid(job.id)
    const row = { id, singletonKey: lineOf(job.key), data: storeJob(job) }
    const added = await engine.insert(name, [row], { db: drivers.boss.fromKysely(db), returnId: true })
    if (added === null) return false
    enqueued.add(name, id)
    await sql`update ${table} set created_on = clock_timestamp(), retry_count = ${attempts} where name = ${name} and id = ${id}`.execute(
      db,
    )
    return true
  }

  /** A dead letter beside a job that is done, which keeps its id known. */
  async function insertDead(
    db: Queries,
    job: Job,
    dead: { readonly attempts: number; readonly error: string },
  ): Promise<boolean> {
    if (!(await insert(db, job, dead.attempts))) return false
    const id = jobUuid(job.id)
    await sql`update ${table} set state = 'completed', completed_on = now() where name = ${await queues.ensure(job.key.agent)} and id = ${id}`.execute(
      db,
    )
    await engine.insert(deadQueue, [{ id, data: storeDeadJob({ job, ...dead }) }], { db: drivers.boss.fromKysely(db) })
    await sql`update ${table} set created_on = clock_timestamp() where name = ${deadQueue} and id = ${id}`.execute(db)
    return true
  }

  return {
    async enqueue(db, jobs) {
      for (const job of jobs) await insert(db, job)
      await tell(db, "")
    },
    async restore(db, { job, attempts, error }) {
      if (error !== undefined) return insertDead(db, job, { attempts, error })
      const isNew = await insert(db, job, attempts)
      if (isNew) await tell(db, "")
      return isNew
    },
    async forget(db, owned) {
      const query = sql<{ count: number }>`with gone as (delete from ${table} where ${isOwned(sql, owned)} returning name, state)
        select count(*)::int as count from gone where name = ${deadQueue} or ${isWaiting}`
      const { count = 0 } = (await query.execute(db)).rows[0] ?? {}
      hasDeleted = true
      await tell(db, goneMessage)
      return count
    },
    async list(db, owned) {
      const query = sql<JobRowColumns>`select name = ${deadQueue} as is_dead, state, retry_count, data from ${table}
        where ${isOwned(sql, owned)} and (name = ${deadQueue} or ${isWaiting}) order by created_on, id`
      return (await query.execute(db)).rows.map(jobRowOf)
    },
    wake() {
      onChange(hasDeleted ? "gone" : "more")
      hasDeleted = false
    },
    async check(db) {
      const query = sql<{ dead: number; waiting: number }>`select count(*) filter (where name = ${deadQueue})::int as dead,
        count(*) filter (where ${isWaiting})::int as waiting from ${table} where name = ${deadQueue} or starts_with(name, ${queuePrefix})`
      const { dead = 0, waiting = 0 } = (await query.execute(db)).rows[0] ?? {}
      const problems = dead === 0 ? [] : [`${dead} jobs failed for good: read why with store.jobs.dead(); they are kept.`]
      return { problems, count: waiting + dead }
    },
  }
}

/** The condition on pg-boss' rows that are jobs of a scope, done ones too. */
function isOwned(sql: Sql, { scope, privateConversations }: OwnedKeys): RawBuilder<boolean> {
  const agent = sql`(name = ${deadQueue} or starts_with(name, ${queuePrefix})) and data->>'agent' = ${keyText(scope.agent)}`
  if ("conversation" in scope) return sql`(${agent} and data->>'conversation' = ${keyText(scope.conversation)})`
  if (!("user" in scope)) return sql`(${agent})`
  const own = sql`data->>'user' = ${keyText(scope.user)}`
  const within = sql`(data->>'audience' = 'private' and data->>'conversation' = any(${privateConversations.map(keyText)}))`
  return sql`(${agent} and (${own} or ${within}))`
}

/** The jobs that turns of this process left behind: what a process that ends does itself, if no other has begun it. */
export interface EnqueuedJobs {
  /** Whether its transaction succeeds is not known yet. */
  add(queue: string, id: string): void
  /** The ids of a queue's, or all. */
  ids(queue?: string): readonly string[]
}

/** Those that are older will have been done by somebody. */
const kept = 1_000

/** None yet. */
export function enqueuedJobs(): EnqueuedJobs {
  const queues = new Map<string, string>()
  return {
    add(queue, id) {
      queues.set(id, queue)
      const [oldest] = queues.keys()
      if (queues.size > kept && oldest !== undefined) queues.delete(oldest)
    },
    ids: (queue) => [...queues].flatMap(([id, own]) => (queue === undefined || own === queue ? [id] : [])),
  }
}
