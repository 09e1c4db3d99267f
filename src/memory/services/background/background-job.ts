import type { HistoryMessage, ServiceKey } from "../../../core/conversation.ts"
import type { Usage } from "../../../core/model/language-model.ts"
import type { Ports } from "../../../core/ports.ts"
import type { Assembly } from "../../../core/span.ts"
import type { Injection } from "../../../core/value.ts"
import type { Job, JobAttempt } from "../store/job-runner.ts"
import type { Receipt } from "../store/receipt.ts"
import type { ReceiptRecords, WorkOutcome } from "../store/records.ts"
import type { MessageFilter, SessionNote } from "../store/session-store.ts"
import type { BeforeTurnContext } from "../turn-hook.ts"

/**
 * Asks a model with one of the dialect's background prompts, and waits for the whole answer within the profile's time limits. Throws
 * the model's error if it fails, and `spending-limit` if `key` is given and the user's day has no room for it. It may be called
 * concurrently.
 */
export type AskModel = (
  prompt: string,
  injections: readonly Injection[],
  options: { readonly signal: AbortSignal; readonly key?: ServiceKey | undefined },
) => Promise<{
  readonly text: string
  readonly model: string
  readonly usage?: Usage | undefined
  /** The tokens that the provider did not tell. Only where a profile bounds what is used. */
  readonly estimate?: Usage | undefined
  readonly assembly: Assembly
}>

/** A committed turn, as background work may see it: what was said, and nothing that was injected (T35). */
export interface CommittedTurn extends Pick<BeforeTurnContext, "key" | "turnId" | "turn" | "speaker" | "memoryOn"> {
  /** When the memory was switched last, in milliseconds since 1970. What was heard until then must not be remembered. */
  readonly memorySinceMs?: number | undefined
  /** The turn's messages, without the results of prestart and recall that are kept with them. */
  readonly messages: readonly HistoryMessage[]
  /** Ids of the recalled memories that stood in its prompts; absent for a turn that was put back. */
  readonly recalled?: readonly string[]
  /** True if output of untrusted tools stood in a request of this turn. */
  readonly untrusted: boolean
  /** True if a tool of this turn left a record of kind `forget`. Its words name what was forgotten, so nothing must be learnt from them. */
  readonly forgot?: boolean
  /** The states of hooks after this turn, by hook name. */
  readonly hookStates: Readonly<Record<string, unknown>>
}

/** The attempt of a job, with everything that background work may use. */
export interface JobContext extends JobAttempt {
  readonly ports: Ports
  readonly ask: AskModel
  /** Leaves a note for a hook in the session's next turn; false if its id is known. */
  post(note: SessionNote): Promise<boolean>
  /** The conversation's messages that meet the filter, oldest first. */
  messages(filter: MessageFilter): Promise<readonly HistoryMessage[]>
  /** The receipts of turns of the conversation. Absent in a context of your own that keeps none. */
  receiptsOf?(turnIds: readonly string[]): Promise<readonly Receipt[]>
  /** The same for another turn of the conversation, whose receipts it writes. Absent in a context of your own that has one turn. */
  ofTurn?(turnId: string): JobContext
  /** Writes a receipt of the job's turn. Missing members get defaults: this attempt, the current time, a duration of 0. */
  receipt(receipt: Pick<Receipt, "kind" | "outcome"> & Partial<Receipt>): Promise<void>
  /** Writes receipts of the job's turn in one step with what they tell of, as {@link ReceiptRecords.putWork} does. Absent if the store cannot. */
  receipts?(
    work: Parameters<NonNullable<ReceiptRecords["putWork"]>>[0],
    receiptsOf: (outcome: WorkOutcome) => readonly Receipt[],
  ): Promise<readonly Receipt[]>
}

/**
 * Work that follows turns. The store's job runner runs it at least once for each turn that enqueued it, without holding a lock that
 * turns need. Work for turns of one conversation runs in their order; work for different conversations runs concurrently.
 */
export interface BackgroundJob {
  /** Unique among an agent's jobs. */
  readonly kind: string
  /**
   * Returns the payload of the job to enqueue with a turn that is about to be committed; plain JSON, or undefined for no job. It must
   * be quick and do no I/O. Without this method, nothing enqueues the job by itself.
   */
  afterTurn?(turn: CommittedTurn): Readonly<Record<string, unknown>> | undefined
  /** True if the job of a turn may wait to be done with those of later turns ({@link Job.quiet}). It stands behind the turn's other jobs. */
  mayWait?(turn: CommittedTurn): boolean
  /**
   * Returns the next moment after `afterMs`, in milliseconds since 1970, at which the job also runs without a turn; absent for a job that
   * only follows turns. It then runs again for each user and group for whom this process ran it, with `scheduledMs` in the payload.
   */
  readonly nextRunMs?: ((afterMs: number) => number | undefined | Promise<number | undefined>) | undefined
  /** Does the work. If it throws, it is tried again. It may run more than once for a turn, so its effects must carry the turn's id. */
  run(job: Job, context: JobContext): Promise<void>
}
