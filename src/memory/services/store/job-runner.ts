import type { ServiceKey } from "../../../core/conversation.ts"

/** Work that follows a turn. It is enqueued in the turn's commit, so it exists exactly if the turn was committed. Plain JSON. */
export interface Job {
  /** Unique for ever. A job that is enqueued again under a known id is ignored, even once that one is done, until its data are forgotten. */
  readonly id: string
  /** Selects the handler. */
  readonly kind: string
  readonly key: ServiceKey
  readonly turnId: string
  /** When its turn ended, in milliseconds since 1970. */
  readonly atMs: number
  /**
   * The earliest moment at which it runs, of the kinds of {@link timedKinds} and of no others. Such a job stands in no line: it holds up no other job of
   * its conversation, and none holds it up.
   */
  readonly dueMs?: number
  /**
   * True for a job that may be done with those of later turns. It is due once its conversation was quiet for a minute, and at once
   * when a job of a later turn follows it or while somebody waits in {@link JobRunner.idle}.
   */
  readonly quiet?: true | undefined
  readonly payload: Readonly<Record<string, unknown>>
}

/**
 * The kinds of jobs that wait for a moment. A wake needs a process that can deliver its answer, a reminder any; a message of a bot, and
 * the records of what was done for it, need the bot.
 */
export const timedKinds: readonly string[] = ["wake", "reminder", "message", "message-record"]

/** One try to do a job. */
export interface JobAttempt {
  /** 1 for the first. */
  readonly attempt: number
  /** True if a failure of this attempt makes the job a dead letter. */
  readonly isLast: boolean
  /** Aborts when the time limit of the attempt is over, when the runner closes, and when the job is forgotten. */
  readonly signal: AbortSignal
}

/** The course of an attempt of a job. */
export interface JobProgress {
  readonly state: "running" | "done" | "failed" | "stopped"
  readonly attempt: number
  /** The failure. */
  readonly message?: string | undefined
}

/**
 * Does a job. If it throws, the job is tried again after a wait. A job may run more than once, so effects must carry the turn's id
 * and not be applied twice.
 */
export type JobHandler = (job: Job, attempt: JobAttempt) => Promise<void>

/** Handlers by kind. A job of another kind waits for a process that has a handler for it, and holds up no other job. */
export type JobHandlers = Readonly<Record<string, JobHandler>>

/** A dead letter: a job whose last attempt failed. It is kept so that a person can look at it. */
export interface DeadJob {
  readonly job: Job
  /** The message of the last failure. */
  readonly error: string
  readonly attempts: number
}

/** Narrows the jobs that {@link JobRunner.idle} waits for. */
export interface IdleOptions {
  /**
   * Only jobs that this process still has to begin. Jobs that run are waited for by `close`; jobs of other processes are not waited for.
   * Later attempts of a failed job are waited for, too, if no other process can make them.
   */
  readonly own?: boolean
  /** Only jobs of this agent. */
  readonly agent?: string
}

/** Options of {@link JobRunner.start}. */
export interface StartOptions {
  readonly agent?: string | undefined
  readonly ifStarted?: boolean | undefined
}

/**
 * Runs the jobs that commits enqueue, each at least once. Jobs of one conversation run one after the other, in the order in which
 * they were enqueued; a failed one is tried again before the next begins. Jobs of different conversations run concurrently.
 *
 * All methods may be called concurrently. Several processes may run jobs of one store; the jobs of a conversation then run in one of
 * them at a time.
 */
export interface JobRunner {
  /**
   * Begins to run jobs: those of one agent or, without `agent`, all that no other call names. A further call for the same agent
   * replaces its handlers; with `ifStarted` it does nothing else, so that what was closed meanwhile stays closed.
   */
  start(handlers: JobHandlers, options?: StartOptions): Promise<void>
  /**
   * Resolves when no job runs and none is due at once, where a {@link Job.quiet} job counts as due. Jobs that wait for their next attempt
   * are not waited for. A runner may ignore the options and wait for more jobs.
   */
  idle(options?: IdleOptions): Promise<void>
  /**
   * Stops to take jobs, of one agent or of all, and waits at most `drainMs` for running ones; then aborts their signals. The jobs
   * left stay in the store for the next process, or for the handlers without an agent. An aborted attempt does not count, and the wait
   * after a failed one goes on. Throws `closed` if the store was closed first.
   */
  close(options: { readonly drainMs: number; readonly agent?: string }): Promise<void>
  /** The dead letters, oldest first. */
  dead(): Promise<readonly DeadJob[]>
}

/** Limits of a job runner. */
export interface JobSettings {
  /** A job whose attempt of this number fails becomes a dead letter. */
  readonly maxAttempts: number
  /** An attempt that takes longer has failed. */
  readonly timeoutMs: number
  /** The wait before the second attempt. It doubles with each further one, up to `maxWaitMs`. */
  readonly waitMs: number
  readonly maxWaitMs: number
  /** The number of conversations whose jobs run concurrently. */
  readonly concurrency: number
}

/** Five attempts, with waits of about a quarter of a minute together. The time limit of an attempt leaves room for several steps of a slow model. */
export const defaultJobSettings: JobSettings = {
  maxAttempts: 5,
  timeoutMs: 300_000,
  waitMs: 1_000,
  maxWaitMs: 300_000,
  concurrency: 8,
}
