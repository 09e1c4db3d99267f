import { createAgent } from "../agent/agent.ts"
import type { CommonOptions } from "./common-options.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { openProfile } from "./open-profile.ts"
import { openCliStore, type StoreOptions } from "./open-store.ts"
import { portsFor } from "./ports-for.ts"
import { shownStore } from "./shown-store.ts"
import { oneLine, terminalText } from "./terminal-text.ts"
import { type JobReport, watchJobs } from "./watch-jobs.ts"
import { wordsFor } from "./words.ts"
import { type WorkerWords, workerWords } from "./words-worker.ts"

/** What `worker` was asked for. */
export interface WorkerOptions extends CommonOptions, StoreOptions {
  /** How long jobs that run are waited for once it is told to end. */
  readonly drainSeconds: number
}

/** Does the background work of a profile's agent, and nothing else, until it is told to end. Resolves to the exit code. */
export async function worker(options: WorkerOptions, context: CliContext): Promise<number> {
  const { io, screen, ports } = context
  const profile = await openProfile(options, io)
  const words = workerWords(profile.locale)
  const opened = await openCliStore(options, context)
  if (opened === undefined) {
    screen.complain(words.noStore)
    return exitCodes.usage
  }
  const { model, demo } = context.chooseModel(profile, io.env)
  const counts = { done: 0, failed: 0 }
  const store = watchJobs(opened, ports?.clock ?? { nowMs: () => Date.now() }, (report) => {
    counts[report.error === undefined ? "done" : "failed"] += 1
    io.stdout.write(`${lineOf(report, words)}\n`)
  })
  const told = untilTerminated(context)
  const onWarning = ({ message }: { readonly message: string }): void => screen.note(screen.paint("dim", terminalText(message)))
  const agent = createAgent({ profile, model, store, onWarning, ports: await portsFor(profile, context) })
  if (demo) screen.note(screen.paint("dim", wordsFor(profile.locale).demo))
  screen.note(words.working(profile.agent.name, shownStore(options, io.env)))
  await told
  screen.note(words.draining(options.drainSeconds))
  await store.jobs.close({ drainMs: options.drainSeconds * 1000, agent: profile.agent.id })
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
  const how = error === undefined ? words.done : `${words.failed} (${attempt}): ${error}`
  return oneLine(`${job.kind}  ${job.key.conversation}  ${job.turnId}  ${Math.round(durationMs)} ms  ${how}`)
}
