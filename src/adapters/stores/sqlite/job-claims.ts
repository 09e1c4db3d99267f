import type { ExpressionBuilder } from "kysely"
import type { Clock } from "../../../core/ports.ts"
import { type DeadJob, type JobHandlers, timedKinds } from "../../../memory/services/store/job-runner.ts"
import { keyText } from "../../../memory/services/store/rows/row-tables.ts"
import type { ClaimedJob, JobClaims } from "../../../memory/services/store/running-jobs.ts"
import { fromKeyText, type Queries, type SqlDatabase } from "../sql/sql-database.ts"
import { type JobTables, jobOf, jobQueries } from "./sqlite-jobs.ts"

/** The first job of a conversation, with the id as its column has it. The jobs behind it wait. */
export type Head = ClaimedJob

/** Handlers by agent. The handlers without an agent take the jobs of all agents that are not listed. */
type HandlersByAgent = ReadonlyMap<string | undefined, JobHandlers>

/** The heads to look for. */
export interface HeadsWanted {
  readonly handlers: HandlersByAgent
  readonly nowMs: number
  /** A job that waits longer than this was put off before the clock was set back, and is due. */
  readonly longestWaitMs: number
  /** True while somebody waits for jobs that wait for quiet. */
  readonly isHurried?: boolean
  readonly limit: number
  /** The agents to leave out. */
  readonly without?: readonly string[]
  /** True for the jobs with moments of their own, which stand in no line; they alone are then looked for. */
  readonly isTimed?: boolean
  /** Called for a job whose row is damaged: it is left out, and its conversation's other jobs wait. */
  readonly onDamaged: (id: string, error: unknown) => void
}

/**
 * The first job of each conversation that has a handler and is due, longest waiting first. A job that waits for its next attempt holds
 * up its own conversation only.
 */
export async function dueHeads(
  db: Queries,
  { handlers, nowMs, longestWaitMs, isHurried = false, limit, without = [], isTimed = false, onDamaged }: HeadsWanted,
): Promise<readonly Head[]> {
  const waiting = jobQueries(db).selectFrom("jobs").select(["id", "body"]).where("state", "=", "waiting").limit(limit)
  const others = without.map(keyText)
  const query = isTimed
    ? waiting
        .where("kind", "in", timedKinds)
        .where("due_ms", "<=", nowMs)
        .where(handledBy(handlers))
        .where("agent", "not in", others)
        .orderBy("due_ms")
    : waiting
        .where(({ or, eb }) =>
          or([
            eb("due_ms", "<=", nowMs),
            eb("due_ms", ">", nowMs + longestWaitMs),
            ...(isHurried ? [eb("attempts", "=", 0)] : []),
          ]),
        )
        .where("position", "in", ({ selectFrom }) =>
          selectFrom("jobs")
            .select(({ fn }) => fn.min("position").as("position"))
            .where("state", "=", "waiting")
            .where("kind", "not in", timedKinds)
            .where(handledBy(handlers))
            .where("agent", "not in", others)
            .groupBy(["agent", "conversation", "audience"]),
        )
  const rows = await query.orderBy("position").execute()
  return rows.flatMap((row) => {
    try {
      return [{ id: row.id, job: jobOf(row), retryCount: 0 }]
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

/** The steps of a job's life in a file. A job is claimed with its first step, and only the oldest one of a conversation is looked for. */
export function sqliteClaims(
  { write }: Pick<SqlDatabase, "write">,
  { clock, maxAttempts }: { readonly clock: Clock; readonly maxAttempts: number },
): JobClaims<Head> {
  const settle = ({ id, retryCount }: Head, change: Parameters<typeof updateAttempt>[3]) =>
    write((db) => updateAttempt(db, id, retryCount + 1, change))
  return {
    async begin(head) {
      const attempt = await write((db) => claimJob(db, head.id, maxAttempts, clock.nowMs()))
      return attempt === undefined ? undefined : { ...head, retryCount: attempt - 1 }
    },
    complete: ({ id }) => write((db) => finishJob(db, id, clock.nowMs())),
    fail: (head, _, waitMs) => settle(head, { due_ms: clock.nowMs() + waitMs }),
    release: (head) => settle(head, { attempts: head.retryCount }),
    // It has not begun, so nothing is to be put back.
    setAside: () => undefined,
    bury: (head, { error }) => settle(head, { state: "dead", error: keyText(error), ended_ms: clock.nowMs() }),
  }
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
