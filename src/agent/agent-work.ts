import { messageOf } from "../core/errors.ts"
import type { AgentParts } from "./agent-parts.ts"
import { closeJobs } from "./close-jobs.ts"
import { jobHandlers } from "./job-handlers.ts"
import type { Observers } from "./observers/observers.ts"

/** Everything that an agent has under way: turns, hooks after them, observers, jobs. */
export interface AgentWork {
  /** Settles when nothing runs or waits; jobs that wait for a later try are not waited for. */
  idle(): Promise<void>
  /** Waits for turns and what follows them; jobs of this process that take too long, or a store that was closed before, are reported. */
  close(): Promise<void>
}

/** Starts the agent's jobs, unless another process does them; those included that an earlier process left in the store. */
export function agentWork(
  shared: Pick<AgentParts, "queue" | "background" | "runner" | "ports" | "onWarning">,
  made: {
    readonly agent: string
    readonly watching: readonly Observers[]
    readonly latest: () => AgentParts
    readonly runJobs: boolean
  },
): AgentWork {
  const { queue, background, runner, ports, onWarning } = shared
  const { agent, watching, latest, runJobs } = made
  const key = { agent, conversation: "", audience: "private", user: "" } as const
  const start = async (): Promise<void> => {
    try {
      if (runJobs) await runner.start(jobHandlers(latest), { agent })
    } catch (error) {
      onWarning({ key, turnId: "", message: `No jobs are run: ${messageOf(error)}` })
    }
  }
  const started = start()
  /** Turns first: they are what starts work in the background. Observers last: they hear of both, and may open a turn. */
  async function conversationsIdle(): Promise<void> {
    do {
      while (queue.size + background.size > 0) {
        await queue.idle()
        await background.idle()
      }
      await Promise.all(watching.map((observers) => observers.idle()))
    } while (queue.size + background.size > 0)
  }
  async function close(): Promise<void> {
    await started
    await conversationsIdle()
    for (const observers of watching) observers.close()
    if (!runJobs) return
    const error = await closeJobs(runner, { agent, ports })
    if (error) onWarning({ key, turnId: "", message: error.message, error })
  }
  let closing: Promise<void> | undefined
  return {
    async idle() {
      await started
      do {
        await conversationsIdle()
        if (runJobs) await runner.idle()
      } while (queue.size + background.size > 0)
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}
