import { createHash } from "node:crypto"
import type { SessionKey } from "../../core/keys.ts"
import type { DeadJob, Job } from "../../services/job-runner.ts"
import { keyText } from "../sql/key-columns.ts"
import type { JobRow } from "../sql/sql-database.ts"

/** A job's row as pg-boss keeps it: who it is about for statements to ask for, and the rest as text that holds any string. */
export interface StoredJob {
  readonly agent: string
  readonly conversation: string
  readonly audience: string
  readonly user: string
  readonly kind: string
  readonly body: string
}

/** A job as a row. */
export function storeJob(job: Job): StoredJob {
  return { ...columns(job), body: JSON.stringify(job) }
}

/** The job of a row. */
export function readJob({ body }: StoredJob): Job {
  return JSON.parse(body) as Job
}

/** A dead letter as a row. */
export function storeDeadJob(dead: DeadJob): StoredJob {
  return { ...columns(dead.job), body: JSON.stringify(dead) }
}

/** The dead letter of a row. */
export function readDeadJob({ body }: StoredJob): DeadJob {
  return JSON.parse(body) as DeadJob
}

function columns({ key, kind }: Job): Omit<StoredJob, "body"> {
  return {
    agent: keyText(key.agent),
    conversation: keyText(key.conversation),
    audience: key.audience,
    user: keyText(key.user),
    kind: keyText(kind),
  }
}

/** Where jobs lie that failed for good. */
export const deadQueue = "promptstrata-dead"

/** What the queues of every agent begin with. */
export const queuePrefix = "promptstrata/"

/** The queue of an agent's jobs: each has its own, so that no process takes a job of an agent that it does not run. */
export function queueOf(agent: string): string {
  return queuePrefix + digest(agent)
}

/** The key within an agent's queue by which jobs stand in line: its conversation. */
export function lineOf({ conversation, audience }: Pick<SessionKey, "conversation" | "audience">): string {
  return digest([audience, conversation])
}

/** Queue names and keys take few characters and have a limited length. */
function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 40)
}

/** A UUID for any job id: the same one for the same id, as pg-boss takes nothing else. */
export function jobUuid(id: string): string {
  const hex = createHash("sha256").update(JSON.stringify(id)).digest("hex")
  // Version 8, variant 10: a UUID whose bits are its maker's own.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** What a row of pg-boss tells of a job. */
export interface JobRowColumns {
  readonly is_dead: boolean
  readonly state: string
  readonly retry_count: number
  readonly data: StoredJob
}

/** A job as it is exported. One that has not begun since it was written, or was given back, has had as many tries as it is said to. */
export function jobRowOf({ is_dead, state, retry_count, data }: JobRowColumns): JobRow {
  if (is_dead) return readDeadJob(data)
  return { job: readJob(data), attempts: state === "created" ? retry_count : retry_count + 1 }
}
