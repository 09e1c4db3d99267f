import type { ServiceKey } from "../core/conversation.ts"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { Ports } from "../core/ports.ts"
import { within } from "../core/timers.ts"
import type { Job, JobAttempt, JobHandlers, JobRunner } from "../services/store/job-runner.ts"
import type { AgentContext } from "../turn/turn-context.ts"
import type { ObserverFeeds } from "./observers/observers.ts"
import type { AgentJobs } from "./schedule/agent-jobs.ts"

/** Waits for everything that an agent has under way: turns, hooks after them, observers, jobs. */
interface AgentWork {
  /** Settles when nothing runs or waits. Jobs that wait for a later try are not waited for. */
  idle(): Promise<void>
  /**
   * Waits for turns and for what follows them. When `signal` aborts, the turns end and jobs are not waited for. Reports jobs of this
   * process that are left, and a store that was closed before.
   */
  close(signal: AbortSignal | undefined): Promise<void>
}

type SharedWork = Pick<AgentContext, "turns" | "background" | "running" | "runner" | "ports" | "onWarning">

interface AgentWorkOptions {
  /** The agent's id. */
  readonly agent: string
  /** The observers of every version of the agent. */
  readonly watching: readonly ObserverFeeds[]
  readonly latest: () => AgentContext
  /** False if another process runs the jobs. */
  readonly runJobs: boolean
}

/** Starts the agent's jobs, those included that an earlier process left in the store, unless another process runs them. */
export function agentWork(shared: SharedWork, options: AgentWorkOptions): AgentWork {
  const { turns, background, runner } = shared
  const { latest } = options
  const jobs = new JobsWhenUsed(latest)
  const started = options.runJobs ? startJobs(shared, { ...options, jobs }) : Promise.resolve()
  let closing: Promise<void> | undefined
  /** Aborted when closing should wait no longer. */
  const hurry = new AbortController()
  return {
    async idle() {
      await started
      do {
        await conversationsIdle(shared, options.watching)
        if (options.runJobs) await runner.idle()
      } while (turns.size + background.size > 0)
    },
    async close(signal) {
      jobs.stop()
      closing ??= closeWork(shared, options, { started, hurry: hurry.signal })
      const onAbort = (): void => {
        hurry.abort()
        endTurns(shared.running, signal?.reason)
      }
      signal?.addEventListener("abort", onAbort, { once: true })
      if (signal?.aborted === true) onAbort()
      await closing
      signal?.removeEventListener("abort", onAbort)
    },
  }
}

/** Never rejects. */
async function startJobs(
  { runner, onWarning }: SharedWork,
  { agent, latest, jobs }: AgentWorkOptions & { readonly jobs: JobsWhenUsed },
): Promise<void> {
  try {
    await runner.start(jobHandlers(latest, jobs), { agent })
  } catch (error) {
    onWarning({ key: keyOf(agent), turnId: "", message: `No jobs are run: ${messageOf(error)}` })
  }
}

/** The key of warnings that belong to no conversation. */
function keyOf(agent: string): ServiceKey {
  return { agent, conversation: "", audience: "private", user: "" }
}

/** Waits for turns first, because they start work in the background. Observers come last: they get events of both, and may open a turn. */
async function conversationsIdle({ turns, background }: SharedWork, watching: readonly ObserverFeeds[]): Promise<void> {
  do {
    while (turns.size + background.size > 0) {
      await turns.idle()
      await background.idle()
    }
    await Promise.all(watching.map((observers) => observers.idle()))
  } while (turns.size + background.size > 0)
}

function endTurns(turns: AgentContext["running"], cause: unknown): void {
  const reason = new PromptStrataError("aborted", "The agent was closed without waiting for the turn.", { cause })
  for (const turn of turns) turn.abort(reason)
}

interface ClosingWork {
  /** Settles when the store has begun its jobs. */
  readonly started: Promise<void>
  readonly hurry: AbortSignal
}

/** Work behind turns has limits of its own, but a store that never answers keeps none. Then closing goes on, and tells. */
async function closeWork(shared: SharedWork, options: AgentWorkOptions, { started, hurry }: ClosingWork): Promise<void> {
  const { turns, runner, ports } = shared
  const { agent, watching, runJobs, latest } = options
  const tell = (error: PromptStrataError): void =>
    shared.onWarning({ key: keyOf(agent), turnId: "", message: error.message, error })
  await turns.idle()
  const timeoutMs = latest().profile.limits.toolMs + drainMs
  const timers = ports.timers
  const idle = await within({ timeoutMs, timers }, () => Promise.all([started, conversationsIdle(shared, watching)]))
  if (idle.status === "timeout") tell(notIdle(agent, timeoutMs))
  for (const observers of watching) observers.close()
  if (!runJobs) return
  const error = await closeJobs(runner, { agent, ports, hurry })
  if (error) tell(error)
}

function notIdle(agent: string, timeoutMs: number): PromptStrataError {
  const message = `The work behind the turns of ${JSON.stringify(agent)} was not done after ${timeoutMs} ms and was not waited for. Its store may not answer.`
  return new PromptStrataError("closed", message, { evidence: { agent } })
}

/** The time for which closing waits for jobs. */
const drainMs = 30_000

interface Closing {
  readonly agent: string
  readonly ports: Pick<Ports, "clock" | "timers">
  readonly hurry: AbortSignal
}

/**
 * Waits at most `drainMs` for the agent's jobs that this process runs or that wait for it, and starts no more of them. Never rejects.
 * Returns an error if jobs may be left that are not done. They stay in the store.
 */
async function closeJobs(
  runner: JobRunner,
  { agent, ports: { clock, timers }, hurry }: Closing,
): Promise<PromptStrataError | undefined> {
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
  return new PromptStrataError(
    "closed",
    `Jobs of ${JSON.stringify(agent)} that were not done when it was closed stay in its store: ${messageOf(cause)}`,
    { cause, evidence: { agent } },
  )
}

/** A handler for each kind of job that the agent has. It runs the job of that kind of the latest profile. */
function jobHandlers(latest: () => AgentContext, jobs: JobsWhenUsed): JobHandlers {
  const handler = async (job: Job, attempt: JobAttempt): Promise<void> => (await jobs.load()).run(job, attempt)
  return Object.fromEntries(latest().jobs.map(({ kind }) => [kind, handler]))
}

/** The code that runs jobs, loaded with the first of them. */
class JobsWhenUsed {
  readonly #latest: () => AgentContext
  #jobs: AgentJobs | undefined
  #isStopped = false

  constructor(latest: () => AgentContext) {
    this.#latest = latest
  }

  async load(): Promise<AgentJobs> {
    const { AgentJobs } = await import("./schedule/agent-jobs.ts")
    this.#jobs ??= new AgentJobs(this.#latest)
    if (this.#isStopped) this.#jobs.stop()
    return this.#jobs
  }

  /** Begins no more jobs at moments of their own. */
  stop(): void {
    this.#isStopped = true
    this.#jobs?.stop()
  }
}
