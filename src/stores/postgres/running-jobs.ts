import type { JobHandler } from "../../services/store/job-runner.ts"
import type { ClaimedJob } from "./claimed-jobs.ts"
import { type RunOptions, runClaimedJob, type StopReason } from "./run-claimed-job.ts"

interface Running {
  readonly claimed: ClaimedJob
  readonly settled: Promise<void>
  stop: (reason: StopReason) => void
}

/** The jobs that this process runs. */
export interface RunningJobs {
  readonly size: number
  /** Their ids. */
  readonly ids: readonly string[]
  run(claimed: ClaimedJob, handler: JobHandler | undefined): void
  /** Stops those that are no longer this process'. */
  verify(): Promise<void>
  /** Settles when those of an agent, or all, have; past `drainMs` they are stopped. */
  drain(options: { readonly drainMs: number; readonly agent?: string }): Promise<void>
  /** Settles when all that run now have. */
  settled(): Promise<void>
}

/** None yet. */
export function runningJobs(
  options: Omit<RunOptions, "onStop"> & { readonly onSettled: () => void; readonly onFault: (error: unknown) => void },
): RunningJobs {
  const { claims, settings, onSettled, onFault } = options
  const running = new Set<Running>()
  const settled = async (jobs: Iterable<Running>): Promise<void> => {
    await Promise.all(Array.from(jobs, (job) => job.settled))
  }

  return {
    get size() {
      return running.size
    },
    get ids() {
      return Array.from(running, ({ claimed }) => claimed.id)
    },
    run(claimed, handler) {
      let stop: Running["stop"] = () => undefined
      const task = runClaimedJob(claimed, handler, { ...options, onStop: (give) => (stop = give) })
        .catch(onFault)
        .finally(() => {
          running.delete(entry)
          onSettled()
        })
      const entry: Running = { claimed, settled: task, stop: (reason) => stop(reason) }
      running.add(entry)
    },
    async verify() {
      for (const { claimed, stop } of [...running]) if (!(await claims.heartbeat(claimed))) stop("gone")
    },
    async drain({ drainMs, agent }) {
      const ours = [...running].filter(({ claimed }) => agent === undefined || claimed.job.key.agent === agent)
      const timer = settings.timers.set(() => {
        for (const { stop } of ours) stop("closed")
      }, drainMs)
      await settled(ours)
      settings.timers.clear(timer)
    },
    settled: () => settled(running),
  }
}
