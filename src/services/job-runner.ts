import type { ServiceKey } from "../core/keys.ts"

/** Work for after a turn, enqueued in the turn's commit: at least once, in a conversation one after the other. Plain JSON. */
export interface Job {
  /** Unique; a job enqueued twice under one id is one job. */
  readonly id: string
  readonly kind: string
  readonly key: ServiceKey
  readonly turnId: string
  /** When its turn ended. */
  readonly atMs: number
  readonly payload: Readonly<Record<string, unknown>>
}

/** What a running job is told. */
export interface JobAttempt {
  /** 1 for the first. */
  readonly attempt: number
  /** True where a failure is final: then the job becomes a dead letter. */
  readonly isLast: boolean
  /** Aborts past the job's time limit and when the runner closes. */
  readonly signal: AbortSignal
}

/** Does a job. What it throws is tried again after a wait; what it did before must not be done twice, so effects carry the turn's id. */
export type JobHandler = (job: Job, attempt: JobAttempt) => Promise<void>

/** Handlers by kind. A job of another kind waits for a process that knows it, and holds up no other. */
export type JobHandlers = Readonly<Record<string, JobHandler>>

/** A job that failed for good: kept to be looked at, never dropped. */
export interface DeadJob {
  readonly job: Job
  readonly error: string
  readonly attempts: number
}

/** Whose jobs {@link JobRunner.idle} waits for. */
export interface IdleOptions {
  /** Only those that this process has yet to begin itself: what runs is left to `close`, what other processes have to them. */
  readonly own?: boolean
  readonly agent?: string
}

/** Runs the jobs that commits enqueue. Jobs of one conversation run in their order, those of others side by side. */
export interface JobRunner {
  /**
   * Takes jobs from here on: those of one agent, or with no `agent` all that no other start names. Called again for the same agent, it
   * puts other handlers in the place of the first ones.
   */
  start(handlers: JobHandlers, options?: { readonly agent?: string }): Promise<void>
  /**
   * Settles when no job of this runner's store runs or is due at once; jobs that wait for a later try are not waited for. With `own`
   * it settles sooner, as soon as nothing is left that this process has yet to begin; with `agent` only that agent's count. A runner
   * may pass over these options and wait for more.
   */
  idle(options?: IdleOptions): Promise<void>
  /**
   * Takes no more jobs, of one agent or of all, and waits at most so long for those that run; then their signals abort. What is left
   * stays in the store for the next process, and an attempt that was cut off does not count. Throws `closed` where the store was
   * closed first.
   */
  close(options: { readonly drainMs: number; readonly agent?: string }): Promise<void>
  /** Jobs that failed for good, the oldest first. */
  dead(): Promise<readonly DeadJob[]>
}
