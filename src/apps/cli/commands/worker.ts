import type { Command } from "commander"
import { messageOf } from "../../../core/errors.ts"
import type { Clock } from "../../../core/ports.ts"
import { createAgent } from "../../../loop/agent/agent.ts"
import type { Job, JobHandler, JobHandlers } from "../../../memory/services/store/job-runner.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { type CliContext, clockOf, notesOn, type RunCommand, runWithProfile } from "../context.ts"
import { exitCodes } from "../io.ts"
import { modelsFor, openProfile, portsFor } from "../open-agent.ts"
import { openCliStore, shownPlace, storePlace } from "../open-store.ts"
import { type CommonOptions, readSeconds, type StoreOptions } from "../options.ts"
import { workerWords } from "../words/command-words.ts"

interface WorkerOptions extends CommonOptions, StoreOptions {
  /** The longest wait for running jobs after SIGTERM. */
  readonly drain: number
}

/** Adds the command `worker`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("worker")
    .description(
      "Do the background work in a store that chats in other processes leave there: rate, remember, reflect. SIGTERM waits for running jobs, then ends.",
    )
    .option("--drain <seconds>", "after SIGTERM, the longest wait for running jobs", readSeconds, 30)
  runWithProfile(command, run, worker, { store: "required" })
}

/** Does the background work of a profile's agent until SIGTERM. Resolves to the exit code. */
async function worker(options: WorkerOptions, context: CliContext): Promise<number> {
  const { io, screen } = context
  const profile = await openProfile(options, context)
  const words = workerWords(profile.locale)
  const opened = await openCliStore(options, context)
  if (opened === undefined) {
    screen.complain(words.noStore)
    return exitCodes.usage
  }
  const counts = { done: 0, failed: 0 }
  const store = watchJobs(opened, clockOf(context), (report) => {
    counts[report.error === undefined ? "done" : "failed"] += 1
    io.stdout.write(`${lineOf(report, words)}\n`)
  })
  const terminated = untilTerminated(context)
  const note = notesOn(context)
  const agent = createAgent({
    ...{ ...modelsFor(profile, context), profile, store },
    onWarning: ({ message }) => note(message),
    ports: await portsFor(profile.model, context),
  })
  screen.note(words.working(profile.agent.name, terminalLine(shownPlace(storePlace(options, io.env) ?? ""))))
  await terminated
  screen.note(words.draining(options.drain))
  await store.jobs.close({ drainMs: options.drain * 1000, agent: profile.agent.id })
  await agent.close()
  screen.note(words.ended(counts.done, counts.failed))
  return exitCodes.ok
}

function untilTerminated({ io, atEnd }: CliContext): Promise<void> {
  return new Promise((resolve) => {
    const stop = io.onTerminate?.(resolve)
    atEnd(async () => stop?.())
  })
}

function lineOf({ job, attempt, durationMs, error }: JobReport, words: WorkerWords): string {
  const outcome = error === undefined ? words.done : `${words.failed} (${attempt}): ${error}`
  return terminalLine(`${job.kind}  ${job.key.conversation}  ${job.turnId}  ${Math.round(durationMs)} ms  ${outcome}`)
}

/** The outcome of one attempt at a job. */
interface JobReport {
  readonly job: Job
  readonly attempt: number
  readonly durationMs: number
  /** The reason if it failed. */
  readonly error: string | undefined
}

/** Wraps a store so that its job runner reports every attempt when it has ended. */
function watchJobs(store: Store, clock: Clock, report: (report: JobReport) => void): Store {
  const { jobs } = store
  const watched = (handler: JobHandler): JobHandler => {
    return async (job, attempt) => {
      const startedMs = clock.nowMs()
      const ended = (error?: string): void =>
        report({ job, attempt: attempt.attempt, durationMs: clock.nowMs() - startedMs, error })
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

/** The words of `worker`. */
type WorkerWords = ReturnType<typeof workerWords>
