import { messageOf } from "../core/errors.ts"
import type { Clock } from "../core/ports.ts"
import type { Job, JobHandler, JobHandlers } from "../services/store/job-runner.ts"
import type { Store } from "../services/store/store.ts"

/** How one try of a job went. */
export interface JobReport {
  readonly job: Job
  readonly attempt: number
  readonly durationMs: number
  /** Why it failed. */
  readonly error?: string
}

/** A store whose runner reports each try once it has ended. */
export function watchJobs(store: Store, clock: Clock, report: (report: JobReport) => void): Store {
  const { jobs } = store
  const watched = (handler: JobHandler): JobHandler => {
    return async (job, attempt) => {
      const startedMs = clock.nowMs()
      const ended = (error?: string): void =>
        report({
          job,
          attempt: attempt.attempt,
          durationMs: clock.nowMs() - startedMs,
          ...(error === undefined ? {} : { error }),
        })
      try {
        await handler(job, attempt)
      } catch (thrown) {
        ended(messageOf(thrown))
        throw thrown
      }
      ended()
    }
  }
  return {
    ...store,
    jobs: {
      start: (handlers: JobHandlers, options) =>
        jobs.start(Object.fromEntries(Object.entries(handlers).map(([kind, handler]) => [kind, watched(handler)])), options),
      idle: (options) => jobs.idle(options),
      close: (options) => jobs.close(options),
      dead: () => jobs.dead(),
    },
  }
}
