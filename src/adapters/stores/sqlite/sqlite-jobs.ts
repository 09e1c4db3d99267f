import { type Kysely, sql } from "kysely"
import { firstDueMs } from "../../../memory/services/store/job-attempt.ts"
import { type Job, timedKinds } from "../../../memory/services/store/job-runner.ts"
import type { SessionColumns, UserColumns } from "../../../memory/services/store/rows/row-tables.ts"
import { keyText } from "../../../memory/services/store/rows/row-tables.ts"
import type { JobRow, OwnedKeys } from "../../../memory/services/store/rows/rows.ts"
import { prepared } from "../sql/prepared.ts"
import { readBody, storedBody } from "../sql/row-body.ts"
import { fromKeyText, having, inSession, keyNames, type Queries, type SqlJobs, sessionColumns } from "../sql/sql-database.ts"

/** The tables of jobs, which a file has beside the shared tables. */
export interface JobTables {
  jobs: SessionColumns &
    UserColumns & {
      id: string
      /** Jobs are done in this order. */
      position: number
      kind: string
      /** A job that is done keeps its id for a while, so that it is not enqueued twice. */
      state: "waiting" | "dead" | "done"
      attempts: number
      /** The job does not run before this moment. */
      due_ms: number
      /** When the job was done or given up. */
      ended_ms: number | null
      error: string | null
      body: string | null
    }
  /** The process that runs the jobs of an agent, and when its right to do so ends. */
  leases: { agent: string; owner: string; expires_ms: number }
}

/** The current transaction, with the tables of jobs. */
export function jobQueries(db: Queries): Kysely<JobTables> {
  return db as unknown as Kysely<JobTables>
}

/** Jobs as rows of the store's own file: a commit writes its jobs in its own transaction. */
export function createSqliteJobs(wake: () => void): SqlJobs {
  // A job that an earlier process left waiting for quiet is due in a minute anyway.
  let mayBeQuiet = false
  return {
    bodies: [{ table: "jobs", body: "body", group: ["agent"], id: ["id"], lost: "this background work" }],
    async enqueue(db, jobs) {
      if (mayBeQuiet) for (const { key } of jobs.slice(0, 1)) await hasten(db, sessionColumns(key))
      mayBeQuiet ||= jobs.some(({ quiet }) => quiet)
      const rows = jobs.map((job) => ({ job, attempts: 0 }))
      await insertJobs(db, rows)
    },
    restore: async (db, row) => (await insertJobs(db, [row])) > 0,
    forget: deleteJobs,
    async forgetTurns(db, key, turnIds) {
      const rows = jobQueries(db).selectFrom("jobs").select(["id", "body"]).where(inSession(key))
      for (const row of await rows.where("state", "in", ["waiting", "dead"]).execute())
        if (turnIds.has(jobOf(row).turnId)) await jobQueries(db).deleteFrom("jobs").where("id", "=", row.id).execute()
    },
    list: listJobs,
    wake,
    async check(db) {
      const rows = await jobQueries(db)
        .selectFrom("jobs")
        .select(({ fn, cast }) => ["state", cast<number>(fn.countAll(), "integer").as("count")])
        .where("state", "in", ["waiting", "dead"])
        .groupBy("state")
        .execute()
      const dead = rows.find(({ state }) => state === "dead")?.count ?? 0
      const problems = dead === 0 ? [] : [`jobs: ${dead} failed for good. \`promptstrata doctor\` lists them with their errors.`]
      return { problems, count: rows.reduce((sum, { count }) => sum + count, 0) }
    },
  }
}

/** Adds jobs at the end, except those whose id is known. Returns how many were added. */
async function insertJobs(db: Queries, rows: readonly JobRow[]): Promise<number> {
  let added = 0
  for (const { job, attempts, error } of rows) {
    const { numAffectedRows } = await insertUnknown(db, {
      ...sessionColumns(job.key),
      user_id: keyText(job.key.user),
      id: keyText(job.id),
      kind: keyText(job.kind),
      state: error === undefined ? "waiting" : "dead",
      attempts,
      due_ms: firstDueMs(job),
      ended_ms: null,
      error: error === undefined ? null : keyText(error),
      body: storedBody(job),
    })
    added += Number(numAffectedRows ?? 0)
  }
  return added
}

/** Lets the jobs of a conversation that wait for quiet be due at once. */
const hasten = prepared([...keyNames], (db, session: SessionColumns) => {
  const jobs = jobQueries(db).updateTable("jobs").set({ due_ms: 0 }).where(having(session))
  return jobs
    .where(having({ state: "waiting", attempts: 0 }))
    .where("due_ms", ">", 0)
    .where("kind", "not in", timedKinds)
})

const insertUnknown = prepared(
  [
    ...([...keyNames, "user_id", "id", "kind", "state"] as const),
    ...(["attempts", "due_ms", "ended_ms", "error", "body"] as const),
  ],
  (db, row: Omit<JobTables["jobs"], "position">) =>
    jobQueries(db)
      .insertInto("jobs")
      .values({ ...row, position: sql<number>`(select coalesce(max(position), 0) + 1 from jobs)` })
      .onConflict((conflict) => conflict.column("id").doNothing()),
)

/** Deletes the jobs of a scope, with the ids of those that are done. Returns how many waited or were dead. */
async function deleteJobs(db: Queries, owned: OwnedKeys): Promise<number> {
  const rows = await ownedJobs(db, owned).select(["id", "state"]).execute()
  for (const { id } of rows) await jobQueries(db).deleteFrom("jobs").where("id", "=", id).execute()
  return rows.filter(({ state }) => state !== "done").length
}

/** The jobs of a scope that wait or are dead, in their order. */
async function listJobs(db: Queries, owned: OwnedKeys): Promise<readonly JobRow[]> {
  const rows = ownedJobs(db, owned).where("state", "in", ["waiting", "dead"]).select(["id", "body", "attempts", "error"])
  return (await rows.orderBy("position").execute()).map(({ id, body, attempts, error }) => ({
    job: jobOf({ id, body }),
    attempts,
    ...(error === null ? {} : { error: fromKeyText(error) }),
  }))
}

function ownedJobs(db: Queries, { scope, privateConversations }: OwnedKeys) {
  const rows = jobQueries(db).selectFrom("jobs").where("agent", "=", keyText(scope.agent))
  if ("conversation" in scope) return rows.where("conversation", "=", keyText(scope.conversation))
  if (!("user" in scope)) return rows
  const within = privateConversations.map(keyText)
  return rows.where(({ or, and, eb }) =>
    or([
      eb("user_id", "=", keyText(scope.user)),
      ...(within.length === 0 ? [] : [and([eb("audience", "=", "private"), eb("conversation", "in", within)])]),
    ]),
  )
}

/** The job of a row that is not done. */
export function jobOf({ id, body }: { readonly id: string; readonly body: string | null }): Job {
  return readBody<Job>(body ?? "null", { table: "jobs", columns: { id } })
}
