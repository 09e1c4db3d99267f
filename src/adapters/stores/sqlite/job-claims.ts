import type { ExpressionBuilder } from "kysely"
import { messageOf, type PromptStrataError } from "../../../core/errors.ts"
import type { Clock, RandomSource, Timers } from "../../../core/ports.ts"
import { retryWaitMs, runAttempt } from "../../../memory/services/store/job-attempt.ts"
import type { DeadJob, Job, JobHandler, JobHandlers, JobSettings } from "../../../memory/services/store/job-runner.ts"
import { keyText } from "../../../memory/services/store/row-keys.ts"
import { fromKeyText } from "../sql/key-columns.ts"
import type { SqlDatabase } from "../sql/sql-database.ts"
import type { Queries } from "../sql/sql-tables.ts"
import { type JobTables, jobOf, jobQueries } from "./sqlite-jobs.ts"

/** The first job of a conversation. The jobs behind it wait. */
export interface Head {
  /** The id as its column has it. */
  readonly id: string
  readonly job: Job
}

/** Handlers by agent. The handlers without an agent take the jobs of all agents that are not listed. */
type HandlersByAgent = ReadonlyMap<string | undefined, JobHandlers>

/** The heads to look for. */
export interface HeadsWanted {
  readonly handlers: HandlersByAgent
  readonly nowMs: number
  /** A job that waits longer than this was put off before the clock was set back, and is due. */
  readonly longestWaitMs: number
  readonly limit: number
  /** The agents to leave out. */
  readonly without?: readonly string[]
  /** Called for a job whose row is damaged: it is left out, and its conversation's other jobs wait. */
  readonly onDamaged: (id: string, error: unknown) => void
}

/**
 * The first job of each conversation that has a handler and is due, longest waiting first. A job that waits for its next attempt holds
 * up its own conversation only.
 */
export async function dueHeads(
  db: Queries,
  { handlers, nowMs, longestWaitMs, limit, without = [], onDamaged }: HeadsWanted,
): Promise<readonly Head[]> {
  const rows = await jobQueries(db)
    .selectFrom("jobs")
    .select(["id", "body"])
    .where("state", "=", "waiting")
    .where(({ or, eb }) => or([eb("due_ms", "<=", nowMs), eb("due_ms", ">", nowMs + longestWaitMs)]))
    .where("position", "in", ({ selectFrom }) =>
      selectFrom("jobs")
        .select(({ fn }) => fn.min("position").as("position"))
        .where("state", "=", "waiting")
        .where(handledBy(handlers))
        .where("agent", "not in", without.map(keyText))
        .groupBy(["agent", "conversation", "audience"]),
    )
    .orderBy("position")
    .limit(limit)
    .execute()
  return rows.flatMap((row) => {
    try {
      return [{ id: row.id, job: jobOf(row) }]
    } catch (error) {
      onDamaged(row.id, error)
      return []
    }
  })
}

/** The condition that a job has a handler. */
function handledBy(handlers: HandlersByAgent) {
  const named = [...handlers.keys()].filter((agent) => agent !== undefined).map(keyText)
  return ({ or, and, eb }: ExpressionBuilder<JobTables, "jobs">) => {
    const ofAgents = [...handlers].flatMap(([agent, byKind]) => {
      const kinds = Object.keys(byKind).map(keyText)
      if (kinds.length === 0) return []
      if (agent !== undefined) return [and([eb("agent", "=", keyText(agent)), eb("kind", "in", kinds)])]
      return [and([...(named.length === 0 ? [] : [eb("agent", "not in", named)]), eb("kind", "in", kinds)])]
    })
    return or(ofAgents)
  }
}

/** The database, settings and ports of an attempt. */
export interface AttemptParts {
  readonly database: SqlDatabase
  readonly settings: JobSettings
  readonly clock: Clock
  readonly timers: Timers
  readonly random: RandomSource
}

/** The handler of a job, if there still is one, and a callback that is given a function which stops the attempt. */
interface AttemptHandling {
  readonly handler: JobHandler | undefined
  readonly onStop: (stop: (reason: PromptStrataError) => void) => void
}

/** Tries a job once and writes down the outcome. Returns the wait before the next attempt, if there is to be one. */
export async function attemptJob(
  parts: AttemptParts,
  { id, job }: Head,
  { handler, onStop }: AttemptHandling,
): Promise<number | undefined> {
  const { database, settings, clock, timers } = parts
  const { maxAttempts, timeoutMs } = settings
  const attempt = await database.write((db) => claimJob(db, id, maxAttempts, clock.nowMs()))
  if (attempt === undefined) return undefined
  let isCutOff = handler === undefined
  const stoppable = (stop: (reason: PromptStrataError) => void): void =>
    onStop((reason) => {
      isCutOff = reason.code === "closed"
      stop(reason)
    })
  try {
    if (handler !== undefined)
      await runAttempt({ timeoutMs, timers, onStop: stoppable }, (signal) =>
        handler(job, { attempt, isLast: attempt >= maxAttempts, signal }),
      )
  } catch (error) {
    if (!isCutOff) return fail(parts, id, attempt, error)
  }
  const isDone = !isCutOff
  await database.write((db) =>
    isDone ? finishJob(db, id, clock.nowMs()) : updateAttempt(db, id, attempt, { attempts: attempt - 1 }),
  )
  return undefined
}

/** A failed job is tried again after a wait, or is dead after its last attempt. */
async function fail(parts: AttemptParts, id: string, attempt: number, error: unknown): Promise<number | undefined> {
  const { database, settings, clock, random } = parts
  const nowMs = clock.nowMs()
  if (attempt >= settings.maxAttempts) {
    const dead = { state: "dead", error: keyText(messageOf(error)), ended_ms: nowMs } as const
    await database.write((db) => updateAttempt(db, id, attempt, dead))
    return undefined
  }
  const waitMs = retryWaitMs(attempt, settings, random)
  await database.write((db) => updateAttempt(db, id, attempt, { due_ms: nowMs + waitMs }))
  return waitMs
}

/**
 * Counts an attempt before it begins, so that a job that ends its process is not tried for ever. Returns the attempt's number, or
 * undefined when the job is gone or has had its last attempt.
 */
async function claimJob(db: Queries, id: string, maxAttempts: number, nowMs: number): Promise<number | undefined> {
  const own = jobQueries(db).updateTable("jobs").where("id", "=", id)
  const next = own.where("state", "=", "waiting").set(({ eb }) => ({ attempts: eb("attempts", "+", 1) }))
  const claimed = await next.returning("attempts").executeTakeFirst()
  if (claimed === undefined || claimed.attempts <= maxAttempts) return claimed?.attempts
  const error = `The process ended during attempt ${maxAttempts}, the last one.`
  const dead = { state: "dead", attempts: maxAttempts, error, ended_ms: nowMs } as const
  await own.set(dead).execute()
  return undefined
}

/** A job that is done keeps its id and nothing of its payload. */
async function finishJob(db: Queries, id: string, nowMs: number): Promise<void> {
  const done = { state: "done", body: null, ended_ms: nowMs } as const
  await jobQueries(db).updateTable("jobs").set(done).where("id", "=", id).where("state", "=", "waiting").execute()
}

/** Changes a job whose attempt has failed or was cut off, unless a later attempt has begun. */
async function updateAttempt(
  db: Queries,
  id: string,
  attempt: number,
  change: { attempts: number } | { due_ms: number } | { state: "dead"; error: string; ended_ms: number },
): Promise<void> {
  const job = jobQueries(db).updateTable("jobs").set(change).where("id", "=", id)
  await job.where("state", "=", "waiting").where("attempts", "=", attempt).execute()
}

/** Forgets the ids of jobs that were done before a moment. */
export async function pruneDone(db: Queries, beforeMs: number): Promise<void> {
  await jobQueries(db).deleteFrom("jobs").where("state", "=", "done").where("ended_ms", "<", beforeMs).execute()
}

/** The jobs that failed for good, oldest first. */
export async function deadJobs(db: Queries): Promise<readonly DeadJob[]> {
  const dead = jobQueries(db).selectFrom("jobs").select(["id", "body", "error", "attempts"]).where("state", "=", "dead")
  const rows = await dead.orderBy("ended_ms").orderBy("position").execute()
  return rows.map(({ error, attempts, ...row }) => ({ job: jobOf(row), error: fromKeyText(error ?? ""), attempts }))
}
