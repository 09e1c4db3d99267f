import { messageOf, type PromptStrataError } from "../../core/errors.ts"
import type { Clock, RandomSource, Timers } from "../../core/ports.ts"
import { type JobHandler, type JobSettings, retryWaitMs, runAttempt } from "../../services/store/job-runner.ts"
import type { SqlDatabase } from "../sql/sql-database.ts"
import { claimJob, failJob, finishJob, type Head, returnJob } from "./job-claims.ts"
import { jobQueries } from "./job-tables.ts"

/** What an attempt works with. */
export interface AttemptParts {
  readonly database: SqlDatabase
  readonly settings: JobSettings
  readonly clock: Clock
  readonly timers: Timers
  readonly random: RandomSource
}

/** Who does the job, if anybody still does, and who is told how to stop it. */
interface AttemptHandling {
  readonly handler: JobHandler | undefined
  readonly onStop: (stop: (reason: PromptStrataError) => void) => void
}

/** Tries a job once and writes down what came of it; the wait before the next try, where there is one. */
export async function attemptJob(
  parts: AttemptParts,
  head: Head,
  { handler, onStop }: AttemptHandling,
): Promise<number | undefined> {
  const { database, settings, clock, timers } = parts
  const { maxAttempts, timeoutMs } = settings
  const claim = { maxAttempts, nowMs: clock.nowMs() }
  const attempt = await database.write((db) => claimJob(jobQueries(db), head.id, claim))
  if (attempt === undefined) return undefined
  let isCutOff = handler === undefined
  const stoppedBy = (stop: (reason: PromptStrataError) => void): void =>
    onStop((reason) => {
      isCutOff = reason.code === "closed"
      stop(reason)
    })
  try {
    if (handler !== undefined)
      await runAttempt({ timeoutMs, timers, onStop: stoppedBy }, (signal) =>
        handler(head.job, { attempt, isLast: attempt >= maxAttempts, signal }),
      )
  } catch (error) {
    if (!isCutOff) return noteFailure(parts, head, { attempt, error })
  }
  if (isCutOff) {
    await database.write((db) => returnJob(jobQueries(db), head.id, attempt))
    return undefined
  }
  await database.write((db) => finishJob(jobQueries(db), head.id, clock.nowMs()))
  return undefined
}

async function noteFailure(
  { database, settings, clock, random }: AttemptParts,
  { id }: Head,
  { attempt, error }: { readonly attempt: number; readonly error: unknown },
): Promise<number | undefined> {
  const nowMs = clock.nowMs()
  if (attempt >= settings.maxAttempts) {
    const dead = { attempt, deadMs: nowMs, error: messageOf(error) }
    await database.write((db) => failJob(jobQueries(db), id, dead))
    return undefined
  }
  const waitMs = retryWaitMs(attempt, settings, random)
  await database.write((db) => failJob(jobQueries(db), id, { attempt, dueMs: nowMs + waitMs }))
  return waitMs
}
