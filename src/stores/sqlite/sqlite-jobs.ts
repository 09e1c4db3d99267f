import type { Kysely } from "kysely"
import type { ServiceKey, SessionKey } from "../../core/keys.ts"
import type { Job } from "../../services/job-runner.ts"
import { fromKeyText, keyText, sessionColumns, userColumns } from "../sql/key-columns.ts"
import { createTable, type Migration } from "../sql/migrate.ts"
import type { JobRow, OwnedKeys, SqlJobs } from "../sql/sql-database.ts"
import type { Queries, SessionColumns, UserColumns } from "../sql/sql-tables.ts"

/** Jobs as rows of the same file, written by the commit's own transaction. */
export function createSqliteJobs(wake: () => void): SqlJobs {
  return {
    async enqueue(db, jobs) {
      const rows = jobs.map((job) => ({ job, attempts: 0 }))
      await insertJobs(jobQueries(db), rows)
    },
    restore: async (db, row) => (await insertJobs(jobQueries(db), [row])) > 0,
    forget: (db, owned) => deleteJobs(jobQueries(db), owned),
    list: (db, owned) => listJobs(jobQueries(db), owned),
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

/** Adds jobs at the end, without those whose id is known; how many were added. */
async function insertJobs(db: Kysely<JobTables>, rows: readonly JobRow[]): Promise<number> {
  const last = await db.selectFrom("jobs").select("position").orderBy("position", "desc").limit(1).executeTakeFirst()
  let position = last?.position ?? 0
  let added = 0
  for (const { job, attempts, error } of rows) {
    position += 1
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("jobs")
      .values({
        ...columnsOf(job.key),
        id: keyText(job.id),
        position,
        kind: keyText(job.kind),
        state: error === undefined ? "waiting" : "dead",
        attempts,
        due_ms: 0,
        ended_ms: null,
        error: error === undefined ? null : keyText(error),
        body: JSON.stringify(job),
      })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .executeTakeFirst()
    added += Number(numInsertedOrUpdatedRows ?? 0)
  }
  return added
}

function columnsOf(key: ServiceKey) {
  return { ...sessionColumns(key), ...userColumns(key) }
}

/** Deletes the jobs of a scope, and the ids of those that are done; how many waited or were dead. */
async function deleteJobs(db: Kysely<JobTables>, owned: OwnedKeys): Promise<number> {
  const done = await ownedJobs(db, owned).where("state", "=", "done").select("id").execute()
  const ids = (await ownedJobs(db, owned).select("id").execute()).map(({ id }) => id)
  for (const id of ids) await db.deleteFrom("jobs").where("id", "=", id).execute()
  return ids.length - done.length
}

/** Jobs of a scope that wait or are dead, in their order. */
async function listJobs(db: Kysely<JobTables>, owned: OwnedKeys): Promise<readonly JobRow[]> {
  const rows = await ownedJobs(db, owned)
    .where("state", "in", ["waiting", "dead"])
    .select(["body", "attempts", "error"])
    .orderBy("position")
    .execute()
  return rows.map(({ body, attempts, error }) => ({
    job: jobOf(body),
    attempts,
    ...(error === null ? {} : { error: fromKeyText(error) }),
  }))
}

function ownedJobs(db: Kysely<JobTables>, { scope, privateConversations }: OwnedKeys) {
  const rows = db.selectFrom("jobs").where("agent", "=", keyText(scope.agent))
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

/** The job of a row that has not been done. */
export function jobOf(body: string | null): Job {
  return JSON.parse(body ?? "null") as Job
}

/** One string for the conversation that a job stands in line in. */
export function laneOf({ agent, conversation, audience }: SessionKey): string {
  return JSON.stringify([keyText(agent), keyText(conversation), audience])
}

/** What a file holds of jobs beside the shared tables. */
export interface JobTables {
  jobs: SessionColumns &
    UserColumns & {
      id: string
      /** Jobs are done in this order. */
      position: number
      kind: string
      /** A job that is done leaves its id behind for a while, so that it is not taken twice. */
      state: "waiting" | "dead" | "done"
      attempts: number
      /** Not before this moment. */
      due_ms: number
      /** When it was done or given up. */
      ended_ms: number | null
      error: string | null
      body: string | null
    }
  /** Which process runs the jobs of an agent, and until when. */
  leases: { agent: string; owner: string; expires_ms: number }
}

/** The same transaction, with a view of the tables of jobs. */
export function jobQueries(db: Queries): Kysely<JobTables> {
  return db as unknown as Kysely<JobTables>
}

/** The tables of jobs, from the first on. A migration that was released is never changed. */
export const jobMigrations: readonly Migration[] = [
  {
    name: "jobs and their owner",
    async up(db, types) {
      await createTable(db, types, "jobs", {
        columns: {
          agent: "text",
          conversation: "text",
          audience: "text",
          user_id: "text",
          id: "text",
          position: "integer",
          kind: "text",
          state: "text",
          attempts: "integer",
          due_ms: "double",
          ended_ms: "double?",
          error: "text?",
          body: "text?",
        },
        key: ["id"],
        indexes: [
          ["state", "agent", "conversation", "audience", "position"],
          ["state", "position"],
        ],
      })
      await createTable(db, types, "leases", {
        columns: { agent: "text", owner: "text", expires_ms: "double" },
        key: ["agent"],
      })
    },
  },
]
