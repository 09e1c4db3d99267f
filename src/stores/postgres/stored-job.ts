import type { DeadJob, Job } from "../../services/store/job-runner.ts"
import { keyText } from "../sql/key-text.ts"

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
