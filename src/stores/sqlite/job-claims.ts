import type { Expression, Kysely, SqlBool } from "kysely"
import { messageOf, type PromptStrataError } from "../../core/errors.ts"
import type { Clock, RandomSource, Timers } from "../../core/ports.ts"
import { runAttempt } from "../../services/in-memory-store/run-attempt.ts"
import type { DeadJob, Job, JobHandler, JobHandlers } from "../../services/job-runner.ts"
import { type JobSettings, retryWaitMs } from "../../services/job-settings.ts"
import { fromKeyText, keyText } from "../sql/key-columns.ts"
import type { SqlDatabase } from "../sql/sql-database.ts"
import { type JobTables, jobOf, jobQueries } from "./sqlite-jobs.ts"

type JobQueries = Kysely<JobTables>

/** The first job of a conversation that can be done here. */
export interface Head {
  /** As its column has it. */
  readonly id: string
  readonly job: Job
}

/** Handlers by agent; those without one take what no other takes. */
type HandlersByAgent = ReadonlyMap<string | undefined, JobHandlers>

/** Which heads to look for. */
export interface HeadsWanted {
  readonly handlers: HandlersByAgent
  readonly nowMs: number
  readonly limit: number
  /** Agents to pass over. */
  readonly without?: readonly string[]
}

/** The first known job of each conversation, if it is due: the longest waiting first. A job that waits for another try holds up its own conversation only. */
export async function dueHeads(db: JobQueries, { handlers, nowMs, limit, without = [] }: HeadsWanted): Promise<readonly Head[]> {
  const rows = await db
    .selectFrom("jobs")
    .select(["id", "body"])
    .where("state", "=", "waiting")
    .where("due_ms", "<=", nowMs)
    .where("position", "in", ({ selectFrom }) =>
      selectFrom("jobs")
        .select(({ fn }) => fn.min("position").as("position"))
        .where("state", "=", "waiting")
        .where(({ or, and, eb }) => or(known(handlers, { and, eb })))
        .$if(without.length > 0, (rows) => rows.where("agent", "not in", without.map(keyText)))
        .groupBy(["agent", "conversation", "audience"]),
    )
    .orderBy("position")
    .limit(limit)
    .execute()
  return rows.map(({ id, body }) => ({ id, job: jobOf(body) }))
}

/** Just what is used of Kysely's builder. */
interface Conditions {
  and(parts: readonly Expression<SqlBool>[]): Expression<SqlBool>
  eb(column: "agent" | "kind", operator: "=" | "in" | "not in", value: string | readonly string[]): Expression<SqlBool>
}

function known(handlers: HandlersByAgent, { and, eb }: Conditions): Expression<SqlBool>[] {
  const named = [...handlers.keys()].filter((agent) => agent !== undefined).map(keyText)
  return [...handlers].flatMap(([agent, kinds]) => {
    const ofKind = Object.keys(kinds).map(keyText)
    if (ofKind.length === 0) return []
    const whose =
      agent === undefined ? (named.length === 0 ? [] : [eb("agent", "not in", named)]) : [eb("agent", "=", keyText(agent))]
    return [and([...whose, eb("kind", "in", ofKind)])]
  })
}

/** Counts an attempt before it begins, so that a job that ends its process is not tried for ever; undefined where the job is gone or had its last one. */
async function claimJob(
  db: JobQueries,
  id: string,
  { maxAttempts, nowMs }: { readonly maxAttempts: number; readonly nowMs: number },
): Promise<number | undefined> {
  const claimed = await db
    .updateTable("jobs")
    .set(({ eb }) => ({ attempts: eb("attempts", "+", 1) }))
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .returning("attempts")
    .executeTakeFirst()
  if (claimed === undefined || claimed.attempts <= maxAttempts) return claimed?.attempts
  const error = `The process ended during attempt ${maxAttempts}, the last one.`
  await db
    .updateTable("jobs")
    .set({ state: "dead", attempts: maxAttempts, error, ended_ms: nowMs })
    .where("id", "=", id)
    .execute()
  return undefined
}

/** A job that was done leaves its id, and nothing of its payload. */
async function finishJob(db: JobQueries, id: string, nowMs: number): Promise<void> {
  await db
    .updateTable("jobs")
    .set({ state: "done", body: null, ended_ms: nowMs })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .execute()
}

/** What became of an attempt that failed: another one at `dueMs`, or none with `deadMs`. */
async function failJob(
  db: JobQueries,
  id: string,
  {
    attempt,
    ...then
  }: { readonly attempt: number } & ({ readonly dueMs: number } | { readonly deadMs: number; readonly error: string }),
): Promise<void> {
  await db
    .updateTable("jobs")
    .set("dueMs" in then ? { due_ms: then.dueMs } : { state: "dead", error: keyText(then.error), ended_ms: then.deadMs })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .where("attempts", "=", attempt)
    .execute()
}

/** Takes back an attempt that was cut off. */
async function returnJob(db: JobQueries, id: string, attempt: number): Promise<void> {
  await db
    .updateTable("jobs")
    .set({ attempts: attempt - 1 })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .where("attempts", "=", attempt)
    .execute()
}

/** Forgets the ids of jobs that were done before a moment. */
export async function pruneDone(db: JobQueries, beforeMs: number): Promise<void> {
  await db.deleteFrom("jobs").where("state", "=", "done").where("ended_ms", "<", beforeMs).execute()
}

/** Jobs that failed for good, the oldest first. */
export async function deadJobs(db: JobQueries): Promise<readonly DeadJob[]> {
  const rows = await db
    .selectFrom("jobs")
    .select(["body", "error", "attempts"])
    .where("state", "=", "dead")
    .orderBy("ended_ms")
    .orderBy("position")
    .execute()
  return rows.map(({ body, error, attempts }) => ({ job: jobOf(body), error: fromKeyText(error ?? ""), attempts }))
}

/** What an attempt works with. */
export interface AttemptParts {
  readonly database: SqlDatabase
  readonly settings: JobSettings
  readonly clock: Clock
  readonly timers: Timers
  readonly random: RandomSource
}

/** Who does the job, if anybody still does, and who is told how to stop it. */
interface AttemptHandling {
  readonly handler: JobHandler | undefined
  readonly onStop: (stop: (reason: PromptStrataError) => void) => void
}

/** Tries a job once and writes down what came of it; the wait before the next try, where there is one. */
export async function attemptJob(
  parts: AttemptParts,
  head: Head,
  { handler, onStop }: AttemptHandling,
): Promise<number | undefined> {
  const { database, settings, clock, timers } = parts
  const { maxAttempts, timeoutMs } = settings
  const claim = { maxAttempts, nowMs: clock.nowMs() }
  const attempt = await database.write((db) => claimJob(jobQueries(db), head.id, claim))
  if (attempt === undefined) return undefined
  let isCutOff = handler === undefined
  const stoppedBy = (stop: (reason: PromptStrataError) => void): void =>
    onStop((reason) => {
      isCutOff = reason.code === "closed"
      stop(reason)
    })
  try {
    if (handler !== undefined)
      await runAttempt({ timeoutMs, timers, onStop: stoppedBy }, (signal) =>
        handler(head.job, { attempt, isLast: attempt >= maxAttempts, signal }),
      )
  } catch (error) {
    if (!isCutOff) return noteFailure(parts, head, { attempt, error })
  }
  if (isCutOff) {
    await database.write((db) => returnJob(jobQueries(db), head.id, attempt))
    return undefined
  }
  await database.write((db) => finishJob(jobQueries(db), head.id, clock.nowMs()))
  return undefined
}

async function noteFailure(
  { database, settings, clock, random }: AttemptParts,
  { id }: Head,
  { attempt, error }: { readonly attempt: number; readonly error: unknown },
): Promise<number | undefined> {
  const nowMs = clock.nowMs()
  if (attempt >= settings.maxAttempts) {
    const dead = { attempt, deadMs: nowMs, error: messageOf(error) }
    await database.write((db) => failJob(jobQueries(db), id, dead))
    return undefined
  }
  const waitMs = retryWaitMs(attempt, settings, random)
  await database.write((db) => failJob(jobQueries(db), id, { attempt, dueMs: nowMs + waitMs }))
  return waitMs
}
