import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { late } from "../../core/late.ts"
import {
  type Job,
  type JobAttempt,
  type JobHandlers,
  type JobRunner,
  timedKinds,
} from "../../memory/services/store/job-runner.ts"
import type { AgentQueues } from "../turn/turn-context.ts"
import { loadAside } from "./borders/load-aside.ts"
import type { AgentJobs } from "./schedule/agent-jobs.ts"
import type { AgentWorkOptions } from "./schedule/close-work.ts"

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

/** Starts the agent's jobs, those included that an earlier process left in the store, unless another process runs them. */
export function agentWork(shared: AgentQueues, options: AgentWorkOptions): AgentWork {
  const { turns, background, runner } = shared
  const { latest } = options
  const loadJobs = late(async () => new (await loadAside()).AgentJobs(latest, shared.closed))
  const works = options.runJobs || options.delivers
  const started = works ? startJobs(shared, { ...options, loadJobs }) : Promise.resolve()
  let closing: Promise<void> | undefined
  /** Aborted when closing should wait no longer. */
  const hurry = new AbortController()
  return {
    async idle() {
      await started
      do {
        await conversationsIdle(shared, options.watching)
        if (works) await runner.idle()
      } while (turns.size + background.size > 0)
    },
    async close(signal) {
      for (const pause of shared.keptAlive.pauses.values()) pause.abort()
      const idle = () =>
        Promise.all([
          works ? started.then(() => endTimed(options, loadJobs, runner)) : undefined,
          conversationsIdle(shared, options.watching),
        ])
      const hasWork = works || options.watching.length + turns.size + background.size > 0
      closing ??= hasWork
        ? loadAside().then(({ closeWork }) => closeWork(shared, options, { idle, hurry: hurry.signal }))
        : Promise.resolve()
      const onAbort = (): void => endTurns(shared.running, hurry, signal?.reason)
      signal?.addEventListener("abort", onAbort, { once: true })
      if (signal?.aborted === true) onAbort()
      await closing
      signal?.removeEventListener("abort", onAbort)
    },
  }
}

/** Never rejects. */
async function startJobs(
  { runner, onWarning }: AgentQueues,
  { agent, loadJobs, ...options }: AgentWorkOptions & { readonly loadJobs: () => Promise<AgentJobs> },
): Promise<void> {
  try {
    await runner.start(jobHandlers(options, loadJobs), { agent })
  } catch (error) {
    const key = { agent, conversation: "", audience: "private", user: "" } as const
    onWarning({ key, turnId: "", message: `No jobs are run: ${messageOf(error)}` })
  }
}

/** Leaves what has a moment of its own, such as a wake, in the store: its turn would be refused. */
async function endTimed(options: AgentWorkOptions, loadJobs: () => Promise<AgentJobs>, runner: JobRunner): Promise<void> {
  const left = Object.entries(jobHandlers(options, loadJobs)).filter(([kind]) => !timedKinds.includes(kind))
  // A store that was closed before is told when the jobs are closed.
  await runner.start(Object.fromEntries(left), { agent: options.agent, ifStarted: true }).catch(() => undefined)
}

/** Waits for turns first, because they start work in the background. Observers come last: they get events of both, and may open a turn. */
async function conversationsIdle({ turns, background }: AgentQueues, watching: AgentWorkOptions["watching"]): Promise<void> {
  do {
    while (turns.size + background.size > 0) {
      await turns.idle()
      await background.idle()
    }
    await Promise.all(watching.map((observers) => observers.idle()))
  } while (turns.size + background.size > 0)
}

function endTurns(turns: AgentQueues["running"], hurry: AbortController, cause: unknown): void {
  hurry.abort()
  const reason = new PromptStrataError("aborted", "The agent was closed without waiting for the turn.", { cause })
  for (const turn of turns) turn.abort(reason)
}

/** A handler for each kind of job that this process runs. It runs the job of that kind of the latest profile. */
function jobHandlers(
  { latest, runJobs }: Pick<AgentWorkOptions, "latest" | "runJobs">,
  loadJobs: () => Promise<AgentJobs>,
): JobHandlers {
  const handler = async (job: Job, attempt: JobAttempt): Promise<void> => (await loadJobs()).run(job, attempt)
  const kinds = latest().jobs.flatMap(({ kind }) => (runJobs || timedKinds.includes(kind) ? [kind] : []))
  return Object.fromEntries(kinds.map((kind) => [kind, handler]))
}
