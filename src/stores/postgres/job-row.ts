import type { JobRow } from "../sql/sql-database.ts"
import { readDeadJob, readJob, type StoredJob } from "./stored-job.ts"

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
