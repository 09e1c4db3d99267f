import type { SessionKey } from "../../../../core/conversation.ts"
import type { Job, JobProgress } from "../../../../memory/services/store/job-runner.ts"
import { sessionOf } from "../../../../memory/services/store/rows/row-tables.ts"

/** A background job, as it ran last in this process. */
export interface RecordedJob {
  readonly kind: string
  /** The turn that it follows. */
  readonly turn: string
  /** `stopped`: its words were forgotten, or the program ended; then another process does it. */
  readonly state: JobProgress["state"]
  readonly attempt: number
  /** Milliseconds since 1970. */
  readonly startedMs: number
  readonly endedMs?: number | undefined
  /** The failure. */
  readonly message?: string | undefined
  /** The moment for which it was due by itself. Absent: the turn is the reason. */
  readonly scheduledMs?: number | undefined
}

interface OpenJob extends RecordedJob {
  readonly id: string
  readonly session: SessionKey
}

const maxJobs = 500
const maxMessage = 500

/** The newest background jobs of an agent, each with its last attempt. */
export class RecordedJobs {
  #jobs: readonly OpenJob[] = []

  note({ id, kind, key, turnId, payload }: Job, { state, attempt, message }: JobProgress, nowMs: number): void {
    const { scheduledMs } = payload
    const begun = state === "running" ? undefined : this.#jobs.find((job) => job.id === id)
    const job: OpenJob = {
      ...{ id, kind, turn: turnId, session: sessionOf(key), state, attempt },
      startedMs: begun?.startedMs ?? nowMs,
      endedMs: state === "running" ? undefined : nowMs,
      message: message?.slice(0, maxMessage).toWellFormed(),
      scheduledMs: typeof scheduledMs === "number" ? scheduledMs : undefined,
    }
    this.#jobs = [...this.#jobs.filter((other) => other.id !== id), job].slice(-maxJobs)
  }

  /** In the order in which they ran last. */
  filter(isMeant: (job: OpenJob) => boolean): readonly RecordedJob[] {
    return this.#jobs.filter(isMeant).map(({ id: _, session: __, ...job }) => job)
  }

  /** Lets go of jobs. */
  drop(isMeant: (job: OpenJob) => boolean): void {
    this.#jobs = this.#jobs.filter((job) => !isMeant(job))
  }
}
