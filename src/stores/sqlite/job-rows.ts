import type { Kysely } from "kysely"
import type { ServiceKey, SessionKey } from "../../core/keys.ts"
import type { Job } from "../../services/store/job-runner.ts"
import { sessionColumns, userColumns } from "../sql/key-columns.ts"
import { fromKeyText, keyText } from "../sql/key-text.ts"
import type { JobRow, OwnedKeys } from "../sql/sql-database.ts"
import type { JobTables } from "./job-tables.ts"

type JobQueries = Kysely<JobTables>

/** Adds jobs at the end, without those whose id is known; how many were added. */
export async function insertJobs(db: JobQueries, rows: readonly JobRow[]): Promise<number> {
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
export async function deleteJobs(db: JobQueries, owned: OwnedKeys): Promise<number> {
  const done = await ownedJobs(db, owned).where("state", "=", "done").select("id").execute()
  const ids = (await ownedJobs(db, owned).select("id").execute()).map(({ id }) => id)
  for (const id of ids) await db.deleteFrom("jobs").where("id", "=", id).execute()
  return ids.length - done.length
}

/** Jobs of a scope that wait or are dead, in their order. */
export async function listJobs(db: JobQueries, owned: OwnedKeys): Promise<readonly JobRow[]> {
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

function ownedJobs(db: JobQueries, { scope, privateConversations }: OwnedKeys) {
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
