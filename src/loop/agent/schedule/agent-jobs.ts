import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { NewestMap } from "../../../core/memo.ts"
import { quietTimers } from "../../../core/timers.ts"
import type { BackgroundJob, JobContext } from "../../../memory/services/background/background-job.ts"
import { receiptsOfTurns } from "../../../memory/services/background/dialogue.ts"
import type { Job, JobAttempt, JobProgress } from "../../../memory/services/store/job-runner.ts"
import { isBadOutcome, type Receipt } from "../../../memory/services/store/receipt.ts"
import { scopeOf, sessionRowId } from "../../../memory/services/store/rows/row-tables.ts"
import type { AgentContext } from "../../turn/turn-context.ts"
import { sessionState } from "../queue/turn-states.ts"
import { maxWaitMs } from "./schedule-times.ts"

/** Runs the jobs of an agent by its latest profile: those of turns, and those that have moments of their own. */
export class AgentJobs {
  readonly #latest: () => AgentContext
  readonly #schedule: JobSchedule

  /** Begins no jobs at moments of their own once `stopped` aborts. */
  constructor(latest: () => AgentContext, stopped: AbortSignal) {
    this.#latest = latest
    const run = (job: Job) => runJob(latest(), job, { attempt: 1, isLast: true, signal: new AbortController().signal })
    this.#schedule = new JobSchedule({ latest, run })
    if (stopped.aborted) this.#schedule.stop()
    stopped.addEventListener("abort", () => this.#schedule.stop(), { once: true })
  }

  async run(job: Job, attempt: JobAttempt): Promise<void> {
    await runJob(this.#latest(), job, attempt)
    await this.#schedule.ran(job)
  }
}

/** Runs a job. An error is reported each time, and thrown, so that the store's runner tries again. */
async function runJob(parts: AgentContext, job: Job, attempt: JobAttempt): Promise<void> {
  const { key, turnId, kind } = job
  const { signal, isLast } = attempt
  const tell = (error: unknown): void => {
    const after = isLast ? "it is a dead letter now" : "it is tried again"
    parts.onWarning({
      key,
      turnId,
      message: `The job ${kind} failed (attempt ${attempt.attempt}, ${after}): ${messageOf(error)}`,
    })
  }
  const inform = (state: JobProgress["state"], error?: unknown): void =>
    parts.inspection.job?.(job, { state, attempt: attempt.attempt, message: error === undefined ? undefined : messageOf(error) })
  inform("running")
  // A job that hangs never throws, so the abort is reported.
  const onAbort = (): void => {
    inform(isMeant(signal.reason) ? "stopped" : "failed", signal.reason)
    if (!isMeant(signal.reason)) tell(signal.reason)
  }
  signal.addEventListener("abort", onAbort, { once: true })
  try {
    const found = parts.jobs.find((each) => each.kind === kind)
    if (found === undefined) throw new Error("the profile has no such job any more")
    await found.run(job, jobContext(parts, job, attempt))
    if (!signal.aborted) inform("done")
  } catch (error) {
    if (!signal.aborted) inform(isMeant(error) ? "stopped" : "failed", error)
    const code = signal.aborted || !PromptStrataError.isInstance(error) ? undefined : error.code
    // The turn was forgotten, also by another process, so there is nothing left to do.
    if (code === "aborted") return
    // Receipts tell of an error of background work.
    if (!signal.aborted && (isLast || code !== "background")) tell(error)
    throw error
  } finally {
    signal.removeEventListener("abort", onAbort)
  }
}

/** True if nothing went wrong: the runner was closed, or the data of the job was forgotten. */
function isMeant(reason: unknown): boolean {
  return PromptStrataError.isInstance(reason) && (reason.code === "closed" || reason.code === "aborted")
}

function jobContext(parts: AgentContext, job: Job, attempt: JobAttempt): JobContext {
  const { store, receipts, ask, ports, onWarning } = parts
  const { key, turnId } = job
  const tell = ({ kind, outcome, message }: Receipt): void => {
    if (isBadOutcome(outcome))
      onWarning({ key, turnId, message: `${kind} after the turn: ${outcome}, ${message ?? "no reason given"}` })
  }
  return {
    ...attempt,
    ports,
    ask: (prompt, injections, options) => ask(prompt, injections, { ...options, key }),
    async post(note) {
      // A job of a turn that was set aside or forgotten leaves nothing.
      attempt.signal.throwIfAborted()
      return store.post(key, note)
    },
    messages: (filter) => store.messages(key, filter),
    ofTurn: (turnId) => jobContext(parts, { ...job, turnId }, attempt),
    receiptsOf: (turnIds) => receiptsOfTurns(turnIds, { receipts, key }),
    async receipt(given) {
      const nowMs = ports.clock.nowMs()
      const receipt: Receipt = { attempt: attempt.attempt, startedMs: nowMs, durationMs: 0, ...given, key, turnId }
      await receipts.put(receipt, { ofTurn: true })
      tell(receipt)
    },
    ...(receipts.putWork && {
      async receipts(work, receiptsOf) {
        const written = (await receipts.putWork?.(work, { turnId, key, receiptsOf })) ?? []
        for (const receipt of written) tell(receipt)
        return written
      },
    }),
  }
}

/** Of more users and groups the ones that were silent for longest are left out. */
const maxKept = 10_000

interface JobScheduleParts {
  readonly latest: () => AgentContext
  readonly run: (job: Job) => Promise<void>
}

/**
 * Runs jobs at moments of their own, without a turn (T36): for each user and group whose job this process ran before, if nobody has spoken
 * in that conversation since, because another process may have run the job of a later turn.
 */
export class JobSchedule {
  readonly #parts: JobScheduleParts
  /** The last job of each kind, user and group. */
  readonly #last = new NewestMap<string, Job>(maxKept)
  readonly #nextMs = new Map<string, number>()
  #timer: unknown
  #isStopped = false

  constructor(parts: JobScheduleParts) {
    this.#parts = parts
  }

  /** Keeps a job that ran for the moments to come. */
  async ran(job: Job): Promise<void> {
    const { nextRunMs } = this.#jobOf(job.kind) ?? {}
    if (nextRunMs === undefined || this.#isStopped) return
    this.#last.set(JSON.stringify([job.kind, scopeOf(job.key)]), job)
    if (!this.#nextMs.has(job.kind)) await this.#plan(job.kind)
  }

  /** Runs nothing more. */
  stop(): void {
    this.#isStopped = true
    this.#parts.latest().ports.timers.clear(this.#timer)
  }

  #jobOf(kind: string): BackgroundJob | undefined {
    return this.#parts.latest().jobs.find((job) => job.kind === kind)
  }

  async #plan(kind: string): Promise<void> {
    const { clock } = this.#parts.latest().ports
    const nextMs = await this.#jobOf(kind)?.nextRunMs?.(clock.nowMs())
    if (nextMs === undefined) this.#nextMs.delete(kind)
    else this.#nextMs.set(kind, nextMs)
    this.#wait()
  }

  #wait(): void {
    const { clock, timers } = this.#parts.latest().ports
    timers.clear(this.#timer)
    if (this.#isStopped || this.#nextMs.size === 0) return
    const waitMs = Math.max(0, Math.min(...this.#nextMs.values()) - clock.nowMs())
    this.#timer = quietTimers(timers).set(() => this.#look(), Math.min(waitMs, maxWaitMs))
  }

  #look(): void {
    const { ports, background } = this.#parts.latest()
    const nowMs = ports.clock.nowMs()
    for (const [kind, nextMs] of this.#nextMs) {
      if (nextMs > nowMs) continue
      this.#nextMs.delete(kind)
      const due = [...this.#last.values()].filter((job) => job.kind === kind)
      for (const job of due) void background.enqueue(sessionRowId(job.key), () => this.#runAt(nextMs, job))
      void background.enqueue(`schedule of ${kind}`, () => this.#plan(kind))
    }
    this.#wait()
  }

  async #runAt(scheduledMs: number, job: Job): Promise<void> {
    const { store, onWarning } = this.#parts.latest()
    try {
      const record = await store.load(job.key, { last: 1 })
      if (record?.history.at(-1)?.turnId !== job.turnId || !sessionState(record).memoryOn) return
      await this.#parts.run({ ...job, payload: { ...job.payload, scheduledMs } })
    } catch (error) {
      const message = `The job ${job.kind} failed at a moment of its schedule: ${messageOf(error)}`
      onWarning({ key: job.key, turnId: job.turnId, message })
    }
  }
}
