import { type RawBuilder, sql } from "kysely"
import type { PgBoss } from "pg-boss"
import type { SessionKey } from "../../../core/conversation.ts"
import { NewestMap } from "../../../core/memo.ts"
import { firstDueMs } from "../../../memory/services/store/job-attempt.ts"
import type { Job } from "../../../memory/services/store/job-runner.ts"
import { keyText } from "../../../memory/services/store/rows/row-tables.ts"
import type { JobRow, OwnedKeys } from "../../../memory/services/store/rows/rows.ts"
import { isDamaged } from "../sql/maintenance/damaged-rows.ts"
import type { DamagedRow } from "../sql/row-body.ts"
import type { Queries, SqlJobs } from "../sql/sql-database.ts"
import type { Drivers } from "./postgres-database.ts"
import { deadQueue, type JobRowColumns, jobRowOf, jobUuid, lineOf, queuePrefix, storeDeadJob, storeJob } from "./stored-job.ts"

/** The message to runners that jobs were deleted which may be running. */
export const goneMessage = "gone"

/**
 * The condition of the index of pg-boss that holds the jobs that are not done. All jobs of an agent's queue meet it; a statement that
 * leaves it out reads those of a whole day that are done.
 */
export const isInLine = "not blocked and policy = 'key_strict_fifo'"

/** The condition that a job is still to be claimed. */
const isUnclaimed = `state < 'active' and ${isInLine}`

/** The condition that a job waits for its conversation to be quiet. */
export const isQuiet = `state = 'created' and ${isInLine} and retry_count = 0 and start_after > now() and data ? 'quiet'`

/** The parts of {@link PostgresSqlJobs}. */
export interface SqlJobsParts {
  readonly engine: PgBoss
  readonly drivers: Drivers
  /** The queue of an agent, made if it is missing. */
  readonly queueFor: (agent: string) => Promise<string>
  readonly enqueued: EnqueuedJobs
  readonly jobSchema: string
  /** The channel of messages between processes. */
  readonly channel: string
  /** Called after a transaction that changed jobs; with `gone` if it deleted some. */
  readonly onChange: (what: "more" | "gone") => void
}

/** Jobs as rows of pg-boss, written within the transaction of the shared statements. */
export class PostgresSqlJobs implements SqlJobs {
  readonly bodies = []
  readonly ofEngine = {
    damaged: (db: Queries) => this.#damaged(db),
    remove: (db: Queries, row: DamagedRow) => this.#remove(db, row),
  }
  readonly #parts: SqlJobsParts
  readonly #table: RawBuilder<unknown>
  readonly #isWaiting: RawBuilder<boolean>
  #hasDeleted = false

  constructor(parts: SqlJobsParts) {
    this.#parts = parts
    this.#table = sql.table(`${parts.jobSchema}.job`)
    this.#isWaiting = sql<boolean>`(name <> ${deadQueue} and state in ('created', 'retry', 'active'))`
  }

  async enqueue(db: Queries, jobs: readonly Job[]): Promise<void> {
    for (const [agent, own] of Map.groupBy(jobs, ({ key }) => key.agent)) await this.#insert(db, agent, { jobs: own })
  }

  async restore(db: Queries, { job, attempts, error }: JobRow): Promise<boolean> {
    if ((await this.#insert(db, job.key.agent, { jobs: [job], attempts })) === 0) return false
    if (error !== undefined) await this.#makeDead(db, job, { attempts, error })
    return true
  }

  async forget(db: Queries, owned: OwnedKeys): Promise<number> {
    const query = sql<{ count: number }>`with gone as (
        delete from ${this.#table} where ${isOwned(owned)} returning name, state
      ) select count(*)::int as count from gone where name = ${deadQueue} or ${this.#isWaiting}`
    const { count = 0 } = (await query.execute(db)).rows[0] ?? {}
    this.#hasDeleted = true
    await this.#tell(db, goneMessage)
    return count
  }

  async forgetTurns(db: Queries, key: SessionKey, turnIds: ReadonlySet<string>): Promise<void> {
    const { agent, conversation } = key
    const rows = await this.list(db, { scope: { agent, conversation }, privateConversations: [] })
    const ids = rows.flatMap(({ job }) => (job.key.audience === key.audience && turnIds.has(job.turnId) ? [jobUuid(job.id)] : []))
    if (ids.length === 0) return
    const isOfAgent = isOwned({ scope: { agent }, privateConversations: [] })
    await sql`delete from ${this.#table} where ${isOfAgent} and id = any(${ids}::uuid[])`.execute(db)
    this.#hasDeleted = true
    await this.#tell(db, goneMessage)
  }

  async list(db: Queries, owned: OwnedKeys): Promise<readonly JobRow[]> {
    const query = sql<JobRowColumns>`select name = ${deadQueue} as is_dead, state, retry_count, data from ${this.#table}
      where ${isOwned(owned)} and (name = ${deadQueue} or ${this.#isWaiting}) order by created_on, id`
    return (await query.execute(db)).rows.map(jobRowOf)
  }

  wake(): void {
    this.#parts.onChange(this.#hasDeleted ? "gone" : "more")
    this.#hasDeleted = false
  }

  async check(db: Queries): ReturnType<SqlJobs["check"]> {
    const query = sql<{ dead: number; waiting: number }>`select count(*) filter (where name = ${deadQueue})::int as dead,
      count(*) filter (where ${this.#isWaiting})::int as waiting
      from ${this.#table} where name = ${deadQueue} or starts_with(name, ${queuePrefix})`
    const { dead = 0, waiting = 0 } = (await query.execute(db)).rows[0] ?? {}
    const problems = dead === 0 ? [] : [`${dead} jobs failed for good: read why with store.jobs.dead(); they are kept.`]
    return { problems, count: waiting + dead }
  }

  /** The jobs whose rows are not what was written. Rows of older versions have no checksum. */
  async #damaged(db: Queries): Promise<readonly DamagedRow[]> {
    const query = sql<JobRowColumns & { name: string; id: string }>`select name, id, name = ${deadQueue} as is_dead, state,
      retry_count, data from ${this.#table}
      where name = ${deadQueue} or (starts_with(name, ${queuePrefix}) and ${this.#isWaiting}) order by name, id`
    const found: DamagedRow[] = []
    for (const { name, id, ...row } of (await query.execute(db)).rows)
      if (isDamaged(() => jobRowOf(row)))
        found.push({ table: "jobs", columns: { name, id }, body: JSON.stringify(row.data), lost: "this background work" })
    return found
  }

  async #remove(db: Queries, { columns: { name, id } }: DamagedRow): Promise<void> {
    await sql`delete from ${this.#table} where name = ${name} and id = ${id}::uuid`.execute(db)
    this.#hasDeleted = true
    await this.#tell(db, goneMessage)
  }

  async #tell(db: Queries, message: string): Promise<void> {
    await sql`select pg_notify(${this.#parts.channel}, ${message})`.execute(db)
  }

  /**
   * Adds jobs of an agent, tells the runners and returns how many were added: one whose id is known is left out. Jobs that were enqueued,
   * and not restored, hasten those of their conversation that wait for quiet. Jobs are ordered by the time of their statement, as a
   * transaction has only one `now()`, and come after the earlier ones of their conversation and are due at once also when the server's
   * clock was set back.
   */
  async #insert(
    db: Queries,
    agent: string,
    { jobs, attempts }: { readonly jobs: readonly Job[]; readonly attempts?: number },
  ): Promise<number> {
    const { engine, drivers, enqueued, queueFor, channel } = this.#parts
    const name = await queueFor(agent)
    const rows = jobs.map((job) => ({ id: jobUuid(job.id), singletonKey: lineOf(job), data: storeJob(job) }))
    const added = (await engine.insert(name, rows, { db: drivers.boss.fromKysely(db), returnId: true })) ?? []
    for (const id of added) enqueued.add(name, id)
    if (added.length === 0 && attempts !== undefined) return 0
    const ids = sql`${rows.map(({ id }) => id)}::uuid[]`
    const hastening = attempts === undefined ? rows[0]?.singletonKey : null
    const last = (state: string) => sql`(select max(created_on) from ${this.#table}
      where name = ${name} and singleton_key = own.singleton_key and ${sql.raw(state)} and not id = any(${ids}))`
    await sql`with hastened as (
        update ${this.#table} set start_after = now()
        where name = ${name} and singleton_key = ${hastening} and not id = any(${ids}) and ${sql.raw(isQuiet)}
      ), placed as (
        update ${this.#table} as own set retry_count = ${attempts ?? 0}, start_after = to_timestamp(new.due_ms / 1000),
          created_on = new.place * interval '1 microsecond'
            + greatest(statement_timestamp(), ${last(isUnclaimed)}, ${last(`state = 'active' and ${isInLine}`)})
        from unnest(${ids}, ${jobs.map(firstDueMs)}::float8[]) with ordinality as new (id, due_ms, place)
        where own.name = ${name} and own.id = new.id and own.id = any(${added}::uuid[])
      ) select pg_notify(${channel}, '')`.execute(db)
    return added.length
  }

  /** Adds a dead letter and marks the job itself as done, which keeps its id known. */
  async #makeDead(db: Queries, job: Job, dead: { readonly attempts: number; readonly error: string }): Promise<void> {
    const { engine, drivers, queueFor } = this.#parts
    const id = jobUuid(job.id)
    await sql`update ${this.#table} set state = 'completed', completed_on = now()
      where name = ${await queueFor(job.key.agent)} and id = ${id}`.execute(db)
    await engine.insert(deadQueue, [{ id, data: storeDeadJob({ job, ...dead }) }], { db: drivers.boss.fromKysely(db) })
    await sql`update ${this.#table} set created_on = clock_timestamp() where name = ${deadQueue} and id = ${id}`.execute(db)
  }
}

/** The condition that a row of pg-boss is a job of a scope, in any state. */
function isOwned({ scope, privateConversations }: OwnedKeys): RawBuilder<boolean> {
  const agent = sql`(name = ${deadQueue} or starts_with(name, ${queuePrefix})) and data->>'agent' = ${keyText(scope.agent)}`
  if ("conversation" in scope) return sql`(${agent} and data->>'conversation' = ${keyText(scope.conversation)})`
  if (!("user" in scope)) return sql`(${agent})`
  const own = sql`data->>'user' = ${keyText(scope.user)}`
  const within = sql`(data->>'audience' = 'private' and data->>'conversation' = any(${privateConversations.map(keyText)}))`
  return sql`(${agent} and (${own} or ${within}))`
}

/** Older jobs will have been done by now. */
const keptJobs = 1_000

/** The jobs that turns of this process enqueued. A process that ends does them itself, if no other process has begun them. */
export class EnqueuedJobs {
  readonly #queues = new NewestMap<string, string>(keptJobs)

  /** To be called before the transaction of the job ends; it may still fail. */
  add(queue: string, id: string): void {
    this.#queues.set(id, queue)
  }

  /** The ids of a queue's jobs, or of all. */
  ids(queue?: string): readonly string[] {
    return [...this.#queues].flatMap(([id, own]) => (queue === undefined || own === queue ? [id] : []))
  }
}
