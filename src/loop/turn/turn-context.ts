import type { Addressees, Attachment, AttachmentInput, HistoryMessage, ServiceKey, Speaker } from "../../core/conversation.ts"
import type { PromptStrataError } from "../../core/errors.ts"
import type { LanguageModel, ModelRequest } from "../../core/model/language-model.ts"
import type { Ports } from "../../core/ports.ts"
import type { Assembly, CutRecord } from "../../core/span.ts"
import type { Injection, Trust } from "../../core/value.ts"
import type { Describe } from "../../memory/services/attachments/describe.ts"
import type { AskModel, BackgroundJob } from "../../memory/services/background/background-job.ts"
import type { KeyedQueue } from "../../memory/services/keyed-queue.ts"
import type { ExplainableMemory } from "../../memory/services/memory/explain-memories.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { Job, JobProgress, JobRunner } from "../../memory/services/store/job-runner.ts"
import type { BlobRecords, ReceiptRecords } from "../../memory/services/store/records.ts"
import type { MessageFilter, SessionNote, SessionRecord, SessionStore } from "../../memory/services/store/session-store.ts"
import type { TurnHook } from "../../memory/services/turn-hook.ts"
import type { Wakes } from "../../memory/services/wakes.ts"
import type { Profile } from "../../profile/profile.ts"
import type { Assembler } from "../../prompt/assemble/assembler.ts"
import type { Dialect } from "../../prompt/dialect/dialect.ts"
import type { PlannerStep, Sight } from "../../prompt/layers/turn-state.ts"
import type { PromptStack } from "../../prompt/stack/prompt-stack.ts"
import type { Confirm, Tool, ToolRun } from "../../prompt/tools/tool.ts"
import type { ToolSet } from "../../prompt/tools/tool-set.ts"
import type { MergedTurns, TraceStep, TurnWarning } from "../../trace/trace.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import type { AnswerOutput } from "./answer-output.ts"
import type { TurnJournal } from "./calls/turn-journal.ts"
import type { Spending, SpendingParts } from "./control/spending.ts"
import type { PendingOutput, PreparedStep, StepControl } from "./control/step-control.ts"
import type { OpenCall, ResumedTurn } from "./open-turn/open-turn.ts"
import type { Findings, HookResults, OtherSpeakers, TurnFiles, TurnLog, UnfinishedStep } from "./turn-progress.ts"

/** Everything that the sessions of an agent share. Built once for each profile that the agent has had. */
export interface AgentContext extends ProfileParts, SharedParts {
  /** Passes an event to the agent's observers. Neither throws nor waits. Undefined if there are none. */
  readonly tellObservers: ((turn: ObservedTurn, event: TurnEvent) => void) | undefined
  /** True for an agent that keeps no conversation, so that no turn of it can wait for an approval. */
  readonly isStateless?: boolean
}

/** The parts of an agent that follow from its profile. */
export interface ProfileParts {
  readonly profile: Profile
  readonly dialect: Dialect
  readonly tools: ToolSet
  /** Puts coarse tools in the place of those that the profile's processes take over (R25). Undefined without processes. */
  readonly delegate: ((tools: ToolSet) => Promise<ToolSet>) | undefined
  /** The stack that every session forks. */
  readonly stack: PromptStack
  readonly hooks: readonly TurnHook[]
  readonly plugins: readonly Plugin[]
  /** Undefined if nothing can be recalled. A service that also keeps memories can explain and forget them. */
  readonly memory: ExplainableMemory | undefined
  /** Durable work after a turn. */
  readonly jobs: readonly BackgroundJob[]
  /** Asks the agent's model with a background prompt. */
  readonly ask: AskModel
  /** Undefined if the profile bounds neither tokens nor money of a turn or a day. */
  readonly spending: (() => Promise<Spending<TurnContext>>) | undefined
}

/** The parts of an agent that all versions of its profile share. */
export interface SharedParts extends AgentQueues, SpendingParts<TurnContext> {
  readonly store: SessionStore
  readonly receipts: ReceiptRecords
  readonly blobs: BlobRecords
  /** Tried in order. The first is used unless it fails. */
  readonly models: readonly [LanguageModel, ...LanguageModel[]]
  /** Describes attachments; undefined if nobody does. */
  readonly describe: Describe | undefined
  /** Undefined if nobody can be asked. */
  readonly confirm: Confirm | undefined
  /** `later` is true once somebody can answer a question of a tool after its turn has ended. */
  readonly asking: { later: boolean }
  readonly inspection: Inspection
  /** The models whose provider refused the schema of a decision. */
  readonly schemaless: Set<LanguageModel>
  readonly wakes: Wakes
}

/** The work of an agent, which closing waits for. */
export interface AgentQueues {
  /** Turns that run or wait, so that closing can end them. */
  readonly running: Set<{ readonly id: string; abort(reason?: unknown): void }>
  /** Turns, in order within a session. */
  readonly turns: KeyedQueue
  /** Hooks after turns, in order within a session. */
  readonly background: KeyedQueue
  /** The pauses of sessions whose prompt cache is kept alive (L28), by the id of the session's row, and what was told of it. */
  readonly keptAlive: { readonly pauses: Map<string, AbortController>; readonly told: Set<string> }
  /** Runs the jobs that turns enqueue. */
  readonly runner: JobRunner
  readonly onWarning: (warning: BackgroundWarning) => void
  readonly ports: Ports
  /** Aborted once the agent is closed. */
  readonly closed: AbortSignal
}

/** An inspector's view of an agent. Its functions must neither throw nor wait. */
export interface Inspection {
  /** Gets the events of all turns, also of those that keep nothing, with their traces. */
  tell?: ((turn: ObservedTurn, event: TurnEvent) => void) | undefined
  /** Gets each request as it is sent, before its `step-start`. */
  send?: ((turn: TurnContext, request: SentRequest) => void) | undefined
  /** Gets the beginning and the end of each attempt of a job. */
  job?: ((job: Job, progress: JobProgress) => void) | undefined
}

/** Something that went wrong after its turn had ended. */
export interface BackgroundWarning {
  readonly key: ServiceKey
  readonly turnId: string
  readonly message: string
  /** Present for an error of this library. Its code is `closed` if the store was closed before its agent, or if jobs were left when the agent closed. */
  readonly error?: PromptStrataError
}

/** A turn as `send` or `wake` asked for it: who says what in which conversation. */
export interface TurnInput extends Addressees {
  readonly key: ServiceKey
  readonly turnId: string
  readonly speaker: Speaker
  /** Empty if nobody spoke. */
  readonly text: string
  /** The reason why the agent begins by itself (R27), undefined if somebody spoke, and the origin of its words, undefined for outside. */
  readonly wake: string | undefined
  readonly wakeTrust?: Trust | undefined
  /** Files that came with the text, as they were given. */
  readonly attached: readonly AttachmentInput[]
  /** The same files once they are read (R8). */
  readonly attachments: readonly Attachment[]
  /** Their bytes by id. */
  readonly bytes?: ReadonlyMap<string, Uint8Array> | undefined
  /** The session's stack; the turn works on a fork of it. */
  readonly stack: PromptStack
  /** Items that were given with the turn. */
  readonly inject: readonly Injection[]
  /** Tools of this turn alone. */
  readonly tools?: readonly Tool[] | undefined
  /** Runs that the caller made for the words, behind which the turn goes on. */
  readonly runs?: readonly Pick<ToolRun, "id" | "tool" | "args" | "result">[] | undefined
  /** The caller's control of the steps. */
  readonly control?: StepControl | undefined
  readonly journal?: TurnJournal | undefined
  /** The reason why `Session.receive` answers the words; undefined for words that were sent. */
  readonly received?: string | undefined
  /** The words of other turns that this one answers too; undefined for a turn that met no other. */
  readonly merged?:
    | (MergedTurns & { readonly words: string /** Messages from the oldest of them on. */; readonly back: number })
    | undefined
  /** The turn of the history that holds the words already, because they waited. The answer is kept alone, as a reply to them. */
  readonly kept?: { readonly turnId: string } | undefined
  /** The turn that goes on here after an approval. */
  readonly resumes?: ResumedTurn | undefined
  /** The jobs of a turn whose question this one withdraws: it gets no answer. */
  readonly withdrawn?: readonly Job[] | undefined
  /** The turns in whose place this one comes. They are set aside when it commits. Undefined for a turn that goes on from the end. */
  readonly replaces?: ReplacedTurns | undefined
}

/** The end of a conversation that is set aside for something else. */
export interface ReplacedTurns {
  /** The turn behind which the history goes on; `null`: from the beginning. */
  readonly after: string | null
  /** The ids of the turns that leave the history. */
  readonly turns: readonly string[]
  /** Notes that hooks took when the turns left. */
  readonly taken: readonly string[]
}

/** The part of a turn that observers get. */
export interface ObservedTurn {
  /** Made again when the turn's session is loaded, and final from then on. */
  input: TurnInput
}

/** The part of a session's stored state that belongs to the agent itself. Plain JSON. */
export interface SessionState {
  /** False once the conversation's memory was switched off (D2). */
  readonly memoryOn: boolean
  /** When the memory was switched last, in milliseconds since 1970. Words heard until then are never remembered. */
  readonly memorySinceMs?: number | undefined
  /** Turns that were committed. */
  readonly turns: number
  /** The state that each hook keeps, by the hook's name. */
  readonly hooks: Readonly<Record<string, unknown>>
  /** The id in the session's block markers; absent without `[context] session_markers`. */
  readonly markerId?: string | undefined
}

/** One turn, from its start to its commit, built once and handed on whole. Only `stack`, its own fork, and `progress`, all that it finds out, change. */
export interface TurnContext {
  readonly agent: AgentContext
  readonly input: TurnInput
  /** The words that the turn works on: the user's, or the reason why the agent begins by itself. */
  readonly occasion: string
  /** The stored session; absent in a conversation's first turn and in an agent's run inside a tool. */
  readonly record: SessionRecord | undefined
  readonly session: SessionState
  /** The name of the process that runs the turn (R24). */
  readonly process: string
  /** Agents above this one: 0 for a turn of a session. */
  readonly depth: number
  /** The window before the question, oldest first. */
  readonly history: readonly HistoryMessage[]
  /** Messages of the whole conversation. */
  readonly messages: (filter: MessageFilter) => Promise<readonly HistoryMessage[]>
  /** Notes that were left for hooks since the last turn. */
  readonly notes: readonly SessionNote[]
  /** Hooks of this turn, in order. */
  readonly hooks: readonly TurnHook[]
  /** This turn's fork of the session's stack, and what remembers the session's requests. */
  readonly stack: PromptStack
  readonly assembler: Assembler
  /** Tokens that a request may have, without the answer's share; undefined: no limit. */
  readonly budgetTokens: number | undefined
  /** Tokens of the budget that the first request leaves to later steps. */
  readonly reserveTokens: number
  readonly startedMs: number
  readonly deadline: Deadline
  /** The deadline's signal: aborted by the caller or by the turn's time limit. */
  readonly signal: AbortSignal
  readonly emit: (event: TurnEvent) => void
  readonly progress: TurnProgress
}

/** Ends a turn when the caller aborts it or its time limit passes. */
export interface Deadline {
  /** Aborted with a typed error: `aborted` or `turn-timeout`. */
  readonly signal: AbortSignal
  /** Pauses the time limit until the returned function is called. Pauses may overlap. */
  pause(): () => void
  /** Ends the time limit and stops listening to the caller's signal. */
  close(): void
}

/** A call of the model that has begun. */
export type SentRequest = Pick<TraceStep, "step" | "prompt" | "model" | "assembly" | "startedMs">

/** The code for pictures and files, loaded with the first turn that has any. */
export interface ShownAttachments {
  sightOf(model: LanguageModel): Sight
  fewerAndFewer(turn: TurnContext, model: LanguageModel): readonly (readonly HistoryMessage[])[]
  nameOld(turn: TurnContext, model: LanguageModel): boolean
  warnOfUnseen(turn: TurnContext, model: LanguageModel): void
  withBytes(turn: TurnContext, request: ModelRequest, model: LanguageModel): Promise<ModelRequest>
}

/** The code that shortens tool runs in prompts, which is loaded when a turn has or shows any. */
export interface FittedRuns {
  oldRunBounds(turn: TurnContext): readonly number[]
  fitOldRuns(history: readonly HistoryMessage[], limits: OldRunLimits): readonly HistoryMessage[]
  withOldRunsTold(assembly: Assembly, history: readonly HistoryMessage[]): Assembly
  withFittedArguments(run: ToolRun, turn: TurnContext): ToolRun
}

/** How many tokens tool runs of earlier turns may have. Those of the last turn that has some stay whole up to `mostTokens`. */
export interface OldRunLimits extends Readonly<Record<"maxTokens" | "mostTokens", number>> {
  readonly agent: AgentContext
}

/** Everything that a turn finds out and says, as it stands now. */
export interface TurnProgress {
  readonly answer: AnswerOutput
  /** The answer of a turn that asked for a value, until it is whole; set with its first step. */
  output: PendingOutput | undefined
  found: Findings
  readonly hooks: HookResults
  readonly log: TurnLog
  readonly files: TurnFiles
  /** The agent's tools and those that hooks added for this turn. */
  tools: ToolSet
  readonly runs: ToolRun[]
  readonly steps: PlannerStep[]
  /** The step at hand as the caller's {@link TurnInput.control} prepared it. */
  step: PreparedStep | undefined
  /** The calls that wait for an approval, with which the turn ends, and their step. */
  readonly open: { readonly calls: OpenCall[]; step: UnfinishedStep | undefined }
  /** The time at which the part of a model's stream came that is read at this moment; undefined between two of them. */
  heardMs: number | undefined
  /** Names of people who spoke in the conversation, also before its loaded messages. A text must not speak for them (T5). */
  speakers: OtherSpeakers | undefined
  /** The window as prompts show it; hooks can shorten it. */
  shownHistory: readonly HistoryMessage[]
  /** The user's words as requests show them. */
  question: string
  /** Absent in a turn without attachments. */
  shown: ShownAttachments | undefined
  /** Absent in a turn that neither has nor shows tool runs or attachments. */
  fitting: FittedRuns | undefined
  /** The cuts of the first step; later steps cut the same. Absent before it. */
  cut: CutRecord | undefined
}

/** Reports something that went wrong without ending the turn. */
export function warn({ progress, emit }: TurnContext, kind: TurnWarning["kind"], message: string): void {
  const warning = { kind, message }
  progress.log.warnings.push(warning)
  emit({ type: "warning", warning })
}
