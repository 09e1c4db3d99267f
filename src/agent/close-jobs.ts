import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { Ports } from "../core/ports.ts"
import type { JobRunner } from "../services/store/job-runner.ts"
import { within } from "../turn/within.ts"

/** How long closing waits for jobs. */
const drainMs = 30_000

/**
 * Waits for the jobs that this process runs or has left to itself, at most half a minute in all, and takes no more of its agent's.
 * Never rejects: hands over why jobs may be left that are not done; they stay in the store.
 */
export async function closeJobs(
  runner: JobRunner,
  { agent, ports: { clock, timers } }: { readonly agent: string; readonly ports: Pick<Ports, "clock" | "timers"> },
): Promise<PromptStrataError | undefined> {
  const beganMs = clock.nowMs()
  const idle = await within({ timeoutMs: drainMs, signal: new AbortController().signal, timers }, () =>
    runner.idle({ own: true, agent }),
  )
  const leftMs = idle.status === "timeout" ? 0 : Math.max(0, drainMs - (clock.nowMs() - beganMs))
  let isLate = idle.status === "timeout"
  const timer = timers.set(() => {
    isLate = true
  }, leftMs)
  try {
    await runner.close({ drainMs: leftMs, agent })
  } catch (error) {
    return leftBehind(agent, error)
  } finally {
    timers.clear(timer)
  }
  if (idle.status === "failed") return leftBehind(agent, idle.error)
  return isLate ? leftBehind(agent, new Error(`they took longer than ${drainMs} ms.`)) : undefined
}

function leftBehind(agent: string, cause: unknown): PromptStrataError {
  return new PromptStrataError(
    "closed",
    `Jobs of ${JSON.stringify(agent)} that were not done when it was closed stay in its store: ${messageOf(cause)}`,
    { cause, evidence: { agent } },
  )
}
