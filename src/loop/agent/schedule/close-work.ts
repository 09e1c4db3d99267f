import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { within } from "../../../core/timers.ts"
import type { JobRunner } from "../../../memory/services/store/job-runner.ts"
import type { AgentContext, AgentQueues } from "../../turn/turn-context.ts"

/** The agent whose work it is. */
export interface AgentWorkOptions {
  /** The agent's id. */
  readonly agent: string
  /** The observers of every version of the agent. */
  readonly watching: readonly { idle(): Promise<void>; close(): void }[]
  readonly latest: () => AgentContext
  /** False if another process runs the jobs but those of wakes. */
  readonly runJobs: boolean
  /** True if this process delivers answers of wakes. */
  readonly delivers: boolean
}

interface ClosingWork {
  /** Settles when the store has begun its jobs and nothing runs behind a turn. */
  readonly idle: () => Promise<unknown>
  readonly hurry: AbortSignal
}

/** Work behind turns has limits of its own, but a store that never answers keeps none. Then closing goes on, and tells. */
export async function closeWork(shared: AgentQueues, options: AgentWorkOptions, { idle, hurry }: ClosingWork): Promise<void> {
  const { turns, runner, ports } = shared
  const { agent, watching, runJobs, delivers, latest } = options
  // What is told belongs to no conversation.
  const key = { agent, conversation: "", audience: "private", user: "" } as const
  const tell = (error: PromptStrataError): void => shared.onWarning({ key, turnId: "", message: error.message, error })
  await turns.idle()
  const timeoutMs = latest().profile.limits.toolMs + drainMs
  const timers = ports.timers
  const waited = await within({ timeoutMs, timers }, idle)
  if (waited.status === "timeout") tell(notIdle(agent, timeoutMs))
  for (const observers of watching) observers.close()
  if (!runJobs && !delivers) return
  const error = await closeJobs(runner, { agent, ports, hurry })
  if (error) tell(error)
}

function notIdle(agent: string, timeoutMs: number): PromptStrataError {
  const message = `The work behind the turns of ${JSON.stringify(agent)} was not done after ${timeoutMs} ms and was not waited for. Its store may not answer.`
  return new PromptStrataError("closed", message, { evidence: { agent } })
}

/** The time for which closing waits for jobs. */
const drainMs = 30_000

/**
 * Waits at most `drainMs` for the agent's jobs that this process runs or that wait for it, and starts no more of them. Never rejects.
 * Returns an error if jobs may be left that are not done. They stay in the store.
 */
async function closeJobs(
  runner: JobRunner,
  { agent, ports, hurry }: Pick<AgentQueues, "ports"> & { readonly agent: string; readonly hurry: AbortSignal },
): Promise<PromptStrataError | undefined> {
  const { clock, timers } = ports
  const beganMs = clock.nowMs()
  const idle = await within({ timeoutMs: drainMs, signal: hurry, timers }, () => runner.idle({ own: true, agent }))
  const leftMs = idle.status === "timeout" || idle.status === "aborted" ? 0 : Math.max(0, drainMs - (clock.nowMs() - beganMs))
  let isLate = idle.status === "timeout"
  const timer = timers.set(() => {
    isLate = true
  }, leftMs)
  const limit = { timeoutMs: leftMs + drainMs, timers }
  const closed = await within(limit, () => runner.close({ drainMs: leftMs, agent }))
  timers.clear(timer)
  if (closed.status === "failed") return leftBehind(agent, closed.error)
  if (closed.status === "timeout") return leftBehind(agent, new Error("its store did not end them."))
  if (idle.status === "failed") return leftBehind(agent, idle.error)
  if (idle.status === "aborted") return leftBehind(agent, new Error("the caller did not wait for them."))
  return isLate ? leftBehind(agent, new Error(`they took longer than ${drainMs} ms.`)) : undefined
}

function leftBehind(agent: string, cause: unknown): PromptStrataError {
  const message = `Jobs of ${JSON.stringify(agent)} that were not done when it was closed stay in its store: ${messageOf(cause)}`
  return new PromptStrataError("closed", message, { cause, evidence: { agent } })
}
