import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { ServiceKey } from "../../core/keys.ts"
import { within } from "../../core/within.ts"
import type { Usage } from "../../model/usage.ts"
import type { AskModel, JobContext } from "../background-job.ts"
import type { Job } from "../job-runner.ts"
import type { Receipt, ReceiptOutcome } from "../receipt.ts"
import type { MemoryJobOptions } from "./memory-job-options.ts"
import type { ProfileField } from "./read-profile-fields.ts"
import { type TurnWords, wordsOfTurn } from "./turn-words.ts"

/** What a step came to. */
export interface StepResult {
  readonly outcome: ReceiptOutcome
  readonly message?: string
  readonly value?: Readonly<Record<string, unknown>>
}

/** An answer that could not be read is asked for once more, no oftener. */
const maxParseAttempts = 2

/** One attempt of a turn's memory job: what it works on, and its receipts so far. */
export class MemoryRun {
  readonly options: MemoryJobOptions
  readonly job: Job
  readonly turns: readonly TurnWords[]
  /** Fields that came with the importance of a batch. */
  batchFields: readonly ProfileField[] | undefined
  /** True once what the job works on was found gone. */
  isForgotten = false
  readonly #context: JobContext
  readonly #receipts: Map<string, Receipt>

  constructor(
    options: MemoryJobOptions,
    work: {
      readonly job: Job
      readonly context: JobContext
      readonly turns: readonly TurnWords[]
      readonly receipts: readonly Receipt[]
    },
  ) {
    this.options = options
    this.job = work.job
    this.turns = work.turns
    this.#context = work.context
    this.#receipts = new Map(work.receipts.map((receipt) => [receipt.kind, receipt]))
  }

  get key(): ServiceKey {
    return this.job.key
  }

  receipt(kind: string): Receipt | undefined {
    return this.#receipts.get(kind)
  }

  /** True where a step needs no further attempt. */
  isSettled(kind: string): boolean {
    const receipt = this.#receipts.get(kind)
    if (receipt === undefined) return true
    if (receipt.outcome === "parse-error") return receipt.attempt >= maxParseAttempts
    return receipt.outcome !== "timeout" && receipt.outcome !== "failed"
  }

  get isLast(): boolean {
    return this.#context.isLast
  }

  /** Runs a step within its time limit and leaves its receipt; one that is settled is not run again. Never throws but for a closing runner. */
  async step(kind: string, task: (ask: AskModel, signal: AbortSignal) => Promise<StepResult>): Promise<void> {
    const { clock, timers } = this.options.ports
    const before = this.#receipts.get(kind)
    if (before !== undefined && this.isSettled(kind)) return
    const { signal } = this.#context
    const startedMs = clock.nowMs()
    const asked: Asked = {}
    const timeoutMs = this.options.settings.stepMs
    const outcome = await within({ timeoutMs, signal, timers }, (stepSignal) => task(this.#askInto(asked), stepSignal))
    if (outcome.status === "aborted") throw signal.reason
    const receipt: Receipt = {
      key: this.key,
      turnId: this.job.turnId,
      kind,
      attempt: (before?.attempt ?? 0) + 1,
      startedMs,
      durationMs: clock.nowMs() - startedMs,
      ...(outcome.status === "done" ? outcome.value : failure(outcome, timeoutMs)),
      ...asked,
    }
    this.#receipts.set(kind, receipt)
    await this.expectWanted(signal)
    await this.#context.receipt(receipt)
  }

  /**
   * Before every write of a step: throws once the job was stopped, or what it works on is gone. So work that hung while its user was
   * forgotten, in whatever process, writes nothing afterwards.
   */
  async expectWanted(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    this.isForgotten = (await wordsOfTurn(this.job, this.#context)) === undefined
    if (this.isForgotten)
      throw new PromptStrataError("aborted", `What was said in turn ${this.job.turnId} was forgotten while its work ran.`)
  }

  #askInto(asked: Asked): AskModel {
    return async (prompt, injections, options) => {
      asked.model = "unanswered"
      const answer = await this.#context.ask(prompt, injections, options)
      asked.model = answer.model
      if (answer.usage !== undefined) asked.usage = answer.usage
      return answer
    }
  }
}

interface Asked {
  model?: string
  usage?: Usage
}

function failure(
  outcome: { readonly status: "failed"; readonly error: unknown } | { readonly status: "timeout" },
  timeoutMs: number,
): StepResult {
  if (outcome.status === "timeout") return { outcome: "timeout", message: `took longer than ${timeoutMs} ms` }
  const { error } = outcome
  const isUnreadable = PromptStrataError.isInstance(error) && error.code === "decision"
  return { outcome: isUnreadable ? "parse-error" : "failed", message: messageOf(error) }
}
