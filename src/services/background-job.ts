import type { HistoryMessage } from "../core/history.ts"
import type { ServiceKey, Speaker } from "../core/keys.ts"
import type { Ports } from "../core/ports.ts"
import type { Assembly } from "../core/span.ts"
import type { Injection } from "../core/value.ts"
import type { Usage } from "../model/usage.ts"
import type { Job, JobAttempt } from "./job-runner.ts"
import type { Receipt } from "./receipt.ts"
import type { MessageFilter, SessionNote } from "./session-store.ts"

/** Asks a model with one of the dialect's background prompts, whole and with time limits. Throws what the model failed with. */
export type AskModel = (
  prompt: string,
  injections: readonly Injection[],
  options: { readonly signal: AbortSignal },
) => Promise<{ readonly text: string; readonly model: string; readonly usage?: Usage; readonly assembly: Assembly }>

/** A turn that was committed, as background work may see it: what was said, and nothing that was injected (T35). */
export interface CommittedTurn {
  readonly key: ServiceKey
  readonly turnId: string
  /** Its number in its conversation, from 0. */
  readonly turn: number
  readonly speaker: Speaker
  readonly memoryOn: boolean
  /** This turn's words; without what was kept of prestart and recall. */
  readonly messages: readonly HistoryMessage[]
  /** True where output of tools that nobody vouches for stood in a request of this turn. */
  readonly untrusted: boolean
  /** What hooks keep with the session after this turn, by name. */
  readonly hookStates: Readonly<Record<string, unknown>>
}

/** What running background work can do. */
export interface JobContext extends JobAttempt {
  readonly ports: Ports
  readonly ask: AskModel
  /** Leaves a note for a hook, for the session's next turn. */
  post(note: SessionNote): Promise<boolean>
  /** The conversation's messages. */
  messages(filter: MessageFilter): Promise<readonly HistoryMessage[]>
  /** Says how it went; kept with the turn. */
  receipt(receipt: Pick<Receipt, "kind" | "outcome"> & Partial<Receipt>): Promise<void>
}

/** Work that follows turns, run at least once by the store's job runner, away from every lock that a turn needs. */
export interface BackgroundJob {
  readonly kind: string
  /** Says, for a turn about to be committed, what to enqueue; undefined: nothing. Must be quick: it does no I/O. */
  afterTurn?(turn: CommittedTurn): Readonly<Record<string, unknown>> | undefined
  run(job: Job, context: JobContext): Promise<void>
}
