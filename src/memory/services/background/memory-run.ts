import type { ServiceKey } from "../../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { addUsage, type Usage } from "../../../core/model/language-model.ts"
import type { CutRecord, CutSize } from "../../../core/span.ts"
import { within } from "../../../core/timers.ts"
import { defined } from "../../../core/value.ts"
import type { Job } from "../store/job-runner.ts"
import { counted, isBadOutcome, type Receipt, type ReceiptOutcome } from "../store/receipt.ts"
import type { StoredMemory, WorkOutcome } from "../store/records.ts"
import type { AskModel, JobContext } from "./background-job.ts"
import { heardBefore, type TurnWords, wordsOfTurn } from "./dialogue.ts"
import type { MemoryJobOptions } from "./memory-job-options.ts"
import { failedIn, judgingKinds, placeOf } from "./waiting-turns.ts"

/** A field of a user's profile, as a model found it in their words. */
export interface ProfileField {
  readonly name: string
  /** Undefined if the field no longer holds. */
  readonly value: string | undefined
  /** From 0 to 1; absent if the model gave none. */
  readonly confidence?: number | undefined
  /** True if the model wrote more than is kept. */
  readonly isCut?: boolean | undefined
}

/** A step as it runs: the attempt that it belongs to, the model to ask, and a signal that aborts at the end of its time. */
export interface Step {
  readonly run: MemoryRun
  readonly ask: AskModel
  readonly signal: AbortSignal
}

/** The outcome of a step. */
export interface StepResult {
  readonly outcome: ReceiptOutcome
  readonly message?: string
  readonly value?: Readonly<Record<string, unknown>>
}

/** The work that a step leaves to {@link MemoryRun.flush}, and its outcome once that is written; undefined for no receipt. */
export interface LaterResult {
  readonly work: TurnWork
  readonly resultOf: (outcome: WorkOutcome) => StepResult | undefined
}

type TurnWork = Parameters<NonNullable<JobContext["receipts"]>>[0]

const tryAgain = 'it stands as failed: "promptstrata memory receipts --retry" tries it again'

/** A step whose answer cannot be read is tried at most this often. */
const maxParseAttempts = 2

/** One attempt of a turn's memory job, with the turns it works on and the receipts so far. */
export class MemoryRun {
  readonly options: MemoryJobOptions
  readonly job: Job
  readonly turns: readonly TurnWords[]
  /** The turns of the last batch that the model is not asked about once more, so that they cannot spoil what else it says. */
  readonly left: readonly TurnWords[]
  /** Profile fields that came with the importance, if one call asked for both. */
  batchFields: readonly ProfileField[] | undefined
  /** Insights that came with the importance: the memories that the model was shown, in their order, and its answer about them. */
  batchInsights: { readonly memories: readonly StoredMemory[]; readonly ask: AskModel } | undefined
  /** True once the job found that its messages were forgotten. */
  isForgotten = false
  /** Receipts by kind. */
  readonly receipts: Map<string, Receipt>
  readonly context: JobContext
  /** The context that reads what was heard. */
  readonly looking: JobContext
  #heard: ReturnType<typeof heardBefore> | undefined
  /** Receipts that wait for {@link flush}, with what they tell of. */
  #unwritten: { readonly receipt: Receipt; readonly later?: LaterResult | undefined }[] = []

  constructor(
    options: MemoryJobOptions,
    parts: Pick<MemoryRun, "job" | "turns" | "context"> & Partial<Pick<MemoryRun, "left" | "looking">>,
    receipts: readonly Receipt[],
  ) {
    this.options = options
    this.job = parts.job
    this.turns = parts.turns
    this.left = parts.left ?? []
    this.context = parts.context
    this.looking = parts.looking ?? parts.context
    this.receipts = new Map(receipts.map((receipt) => [receipt.kind, receipt]))
  }

  get key(): ServiceKey {
    return this.job.key
  }

  /** True if receipts wait until {@link flush} writes them with all that they tell of. */
  get isTogether(): boolean {
    return this.options.isOneStore === true && this.context.receipts !== undefined
  }

  /** The words that were heard before the turns, read once. */
  heard(): ReturnType<typeof heardBefore> {
    this.#heard ??= heardBefore(this.turns, this.job, this.looking)
    return this.#heard
  }

  /** The memories that {@link flush} is to keep. */
  get adding(): readonly StoredMemory[] {
    return this.#unwritten.flatMap(({ later }) => later?.work.memories ?? []).map(({ memory }) => memory)
  }

  /** True if a step needs no further attempt; also if it was never tried. */
  isSettled(kind: string): boolean {
    const receipt = this.receipts.get(kind)
    if (receipt === undefined || failedIn([receipt]).length > 0) return true
    if (receipt.outcome === "parse-error") return receipt.attempt >= maxParseAttempts
    return receipt.outcome !== "timeout" && receipt.outcome !== "failed"
  }

  /**
   * Runs a step within its time limit and writes its receipt, at once or with {@link flush}. A settled step is not run again. A failure
   * of the step becomes its receipt; this throws only if the runner closes, or if the turn's messages were forgotten.
   */
  async step(kind: string, task: (step: Step) => Promise<StepResult | LaterResult>): Promise<void> {
    const { clock, timers } = this.options.ports
    const before = this.receipts.get(kind)
    if (before !== undefined && this.isSettled(kind)) return
    const { signal } = this.context
    const startedMs = clock.nowMs()
    const asked: { model?: string | undefined; usage?: Usage | undefined; estimate?: Usage | undefined } = {
      ...{ usage: before?.usage, estimate: before?.estimate },
    }
    const cuts: string[] = []
    const timeoutMs = this.options.settings.stepMs
    const ask: AskModel = async (prompt, injections, options) => {
      asked.model = "unanswered"
      const answer = await this.context.ask(prompt, injections, options)
      asked.model = answer.model
      cuts.push(...cutsText(answer.assembly.cut))
      for (const told of ["usage", "estimate"] as const)
        if (answer[told] !== undefined) asked[told] = addUsage(asked[told] ?? {}, answer[told])
      return answer
    }
    const outcome = await within({ timeoutMs, signal, timers }, (own) => task({ run: this, ask, signal: own }))
    if (outcome.status === "aborted") throw signal.reason
    const error = outcome.status === "failed" ? outcome.error : undefined
    const code = PromptStrataError.isInstance(error) ? error.code : undefined
    const tooLong: StepResult = { outcome: "timeout", message: `took longer than ${timeoutMs} ms` }
    const how = code === "decision" ? "parse-error" : "failed"
    const failure: StepResult = outcome.status === "failed" ? { outcome: how, message: messageOf(error) } : tooLong
    const isRefused = code === "spending-limit"
    if (isRefused) asked.model = before?.model
    // Words that wait to be judged alone go on waiting.
    const failed: StepResult = isRefused && this.#carried === undefined ? { ...failure, outcome: "skipped" } : failure
    const result = outcome.status === "done" ? outcome.value : failed
    const begun = { key: this.key, turnId: this.job.turnId, kind, attempt: (before?.attempt ?? 0) + 1, startedMs }
    const spent = { ...begun, durationMs: clock.nowMs() - startedMs, ...defined(asked) }
    const later = "work" in result ? result : undefined
    const receipt = receiptOf(spent, "work" in result ? { outcome: "ok" } : this.unread(kind, result), cuts)
    this.receipts.set(kind, receipt)
    if (this.isTogether) return void this.#unwritten.push({ receipt, later })
    await this.expectWanted(signal)
    await this.context.receipt(receipt)
  }

  /** True if the model is not asked once more when this answer cannot be read. */
  isLastAnswer(kind: string): boolean {
    return this.context.isLast || (this.receipts.get(kind)?.attempt ?? 0) + 1 >= maxParseAttempts
  }

  /**
   * The result of a judgement. Once it is not tried again, it names the turns that it leaves to the next batch: `turns`, without those
   * that were left to it before. A turn that is judged alone has then failed.
   */
  unread(kind: string, result: StepResult, turns = this.turns): StepResult {
    const { value, outcome, message } = result
    const known = judgingKinds.includes(kind) && this.left.length > 0 ? { ...value, left: this.left.length } : value
    const isOver = this.context.isLast || (outcome === "parse-error" && this.isLastAnswer(kind))
    const isWaiting = judgingKinds.includes(kind) && isBadOutcome(outcome) && isOver && value?.waits === undefined
    if (!isWaiting) return known === undefined ? result : { ...result, value: known }
    const own = this.#carried
    if (own) return { outcome: "failed", message: `${message}; ${tryAgain}`, value: { ...known, unjudged: [placeOf(own)] } }
    const waits = turns.filter(({ isCarried }) => !isCarried).map(placeOf)
    const wait = waits.length === 0 ? "" : `; left to the next batch: ${counted(waits.length, "turn")}`
    return { outcome, message: `${message}${wait}`, value: { ...known, waits } }
  }

  /** The job's own turn, if it waited to be judged alone. */
  get #carried(): TurnWords | undefined {
    return this.turns.find(({ isCarried, turnId }) => isCarried && turnId === this.job.turnId)
  }

  /** Writes what the steps so far have left, with their receipts, in one step. Throws if the job was stopped or its messages were forgotten. */
  async flush(): Promise<void> {
    const unwritten = this.#unwritten
    if (unwritten.length === 0) return
    this.context.signal.throwIfAborted()
    const work: TurnWork = Object.assign({}, ...unwritten.map(({ later }) => later?.work))
    const receiptsOf = (outcome: WorkOutcome): readonly Receipt[] =>
      unwritten.flatMap(({ receipt, later }) => {
        if (later === undefined) return receipt
        const result = later.resultOf(outcome)
        return result === undefined ? [] : receiptOf(receipt, result, [])
      })
    for (const { receipt } of unwritten) this.receipts.delete(receipt.kind)
    this.#unwritten = []
    const written = await this.context.receipts?.(work, receiptsOf).catch(async (error: unknown) => {
      await this.expectWanted(this.context.signal)
      if (!PromptStrataError.isInstance(error) || error.code !== "aborted") throw error
      // The job's own turn is there: another one, that is judged with it, went meanwhile. The next attempt leaves it out.
      throw new PromptStrataError("background", error.message, { cause: error, hint: "It is tried again without that turn." })
    })
    for (const receipt of written ?? []) this.receipts.set(receipt.kind, receipt)
  }

  /**
   * Must be called before every write of a step. Throws if the job was stopped or its messages were forgotten, also by another process.
   * So a step that hung while its user was forgotten writes nothing afterwards.
   */
  async expectWanted(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    this.isForgotten = (await wordsOfTurn(this.job, this.context)) === undefined
    if (!this.isForgotten) return
    const message = `The messages of turn ${this.job.turnId} were forgotten while its background work ran.`
    throw new PromptStrataError("aborted", message)
  }
}

type BegunReceipt = Omit<Receipt, "outcome" | "message" | "value">

function receiptOf(begun: BegunReceipt, result: StepResult, cuts: readonly string[]): Receipt {
  const message = [result.message ?? "", ...cuts].filter((part) => part !== "").join(", ")
  return { ...begun, ...result, ...(message === "" ? {} : { message }) }
}

/** Tells what a prompt had room for, if its budget cut something: `its prompt had room for 12 of 80 entries of recent`. */
function cutsText(cut: CutRecord): readonly string[] {
  const told = (size: CutSize, key: string): string => {
    if ("dropped" in size) return `its prompt had room for none of ${key}`
    if ("characters" in size) return `its prompt had room for ${size.characters} characters of ${key}`
    return size.of === undefined
      ? `its prompt had room for ${size.entries} entries of ${key} and no more`
      : `its prompt had room for ${size.entries} of ${size.of} entries of ${key}`
  }
  return Object.entries(cut).map(([key, size]) => told(size, key))
}
