import { createHash } from "node:crypto"
import { firstDueMs } from "../../../memory/services/store/job-attempt.ts"
import type { DeadJob, Job } from "../../../memory/services/store/job-runner.ts"
import { keyText } from "../../../memory/services/store/rows/row-tables.ts"
import type { JobRow } from "../../../memory/services/store/rows/rows.ts"
import { damagedRow, type RowName, readBody, storedBody } from "../sql/row-body.ts"

/** A job as pg-boss stores it. Statements ask for the columns; `body` is the whole job as text, which can hold any string. */
export interface StoredJob {
  readonly agent: string
  readonly conversation: string
  readonly audience: string
  readonly user: string
  readonly kind: string
  /** The moment of a job that has one of its own, in milliseconds since 1970. */
  readonly due?: string
  /** The moment at which a job that waits for its conversation to be quiet is due, in milliseconds since 1970. */
  readonly quiet?: string
  readonly body: string
}

export function storeJob(job: Job): StoredJob {
  return { ...columns(job), body: storedBody(job) }
}

/** The job of a row. Throws `store` if the row is not what was written. */
export function readJob(stored: StoredJob): Job {
  const job = readBody<Job>(stored.body, rowNameOf(stored))
  checkColumns(stored, job)
  return job
}

export function storeDeadJob(dead: DeadJob): StoredJob {
  return { ...columns(dead.job), body: storedBody(dead) }
}

/** The dead letter of a row. Throws `store` if the row is not what was written. */
export function readDeadJob(stored: StoredJob): DeadJob {
  const dead = readBody<DeadJob>(stored.body, rowNameOf(stored))
  checkColumns(stored, dead.job)
  return dead
}

function rowNameOf({ body: _, ...names }: StoredJob): RowName {
  return { table: "jobs", columns: names }
}

/** The columns repeat what is in the body, which has a checksum. */
function checkColumns(stored: StoredJob, job: Job): void {
  for (const [name, value] of Object.entries(columns(job)))
    if (stored[name as keyof StoredJob] !== value) throw damagedRow(rowNameOf(stored), `another ${name} beside it`)
}

function columns(job: Job): Omit<StoredJob, "body"> {
  const { key, kind, dueMs, quiet } = job
  return {
    agent: keyText(key.agent),
    conversation: keyText(key.conversation),
    audience: key.audience,
    user: keyText(key.user),
    kind: keyText(kind),
    ...(dueMs === undefined ? {} : { due: String(dueMs) }),
    ...(quiet && { quiet: String(firstDueMs(job)) }),
  }
}

/** The columns of a row of pg-boss that an export needs. */
export interface JobRowColumns {
  readonly is_dead: boolean
  readonly state: string
  readonly retry_count: number
  readonly data: StoredJob
}

/** A job as an export holds it. In the state `created` it has had `retry_count` attempts, in any other state one more. */
export function jobRowOf({ is_dead, state, retry_count, data }: JobRowColumns): JobRow {
  if (is_dead) return readDeadJob(data)
  return { job: readJob(data), attempts: state === "created" ? retry_count : retry_count + 1 }
}

/** The queue of dead letters. */
export const deadQueue = "promptstrata-dead"

/** The beginning of the queue names of all agents. */
export const queuePrefix = "promptstrata/"

/** The queue of an agent. Each agent has its own, so that no process takes jobs of an agent that it does not run. */
export function queueOf(agent: string): string {
  return queuePrefix + digest(agent)
}

/** The key by which jobs of a queue stand in line: their conversation. A job with a moment of its own stands alone. */
export function lineOf({ id, key, dueMs }: Job): string {
  return digest(dueMs === undefined ? [key.audience, key.conversation] : ["timed", id, ""])
}

/** The id of a job as a UUID, because pg-boss takes nothing else. The same id always gives the same UUID. */
export function jobUuid(id: string): string {
  const hex = sha256(id)
  // Version 8, variant 10: the UUIDs whose bits an application may choose.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Queue names and keys allow few characters and have a maximum length. */
function digest(value: unknown): string {
  return sha256(value).slice(0, 40)
}

function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex")
}
