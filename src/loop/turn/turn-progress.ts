import type { Attachment, KeptPrestart } from "../../core/conversation.ts"
import type { LanguageModel, ModelRequest, Usage } from "../../core/model/language-model.ts"
import type { LoreDecision, ToolCall } from "../../core/span.ts"
import type { Look } from "../../prompt/encode/fold.ts"
import type { RecalledMemory } from "../../prompt/layers/turn-state.ts"
import type { Tool, ToolRecord, ToolRun } from "../../prompt/tools/tool.ts"
import type { Decision } from "../../reply/decision.ts"
import type { TraceStep, TurnTrace, TurnWarning } from "../../trace/trace.ts"
import type { TurnJournal } from "./calls/turn-journal.ts"

/** The decision of a planner step. `ignored` is the beginning of a further decision in the same output, of which nothing was carried out. */
export type StepDecision = Decision & { readonly ignored?: string }

/** A call of the model, as it was read. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** Present if the arguments could not be read: the values of the notice that says why. Such a call is not run (T18). */
  readonly fault?: { readonly unfinished: boolean; readonly issues: string }
  /** A name that stood twice in the call. The model is told that only its first value counts. */
  readonly repeatedName?: string | undefined
}

/** A tool call of the planner or of the profile. */
export interface ToolRequest {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** Undefined if there is no such tool. */
  readonly tool: Tool | undefined
  /** True if the turn can wait until a person allows the call. Default: the call is refused if nobody answers. */
  readonly canWait?: boolean
  /** A time limit for this call, in place of the tool's own. */
  readonly timeoutMs?: number
  /** Keeps that the tool began and how it ended. */
  readonly journal?: TurnJournal | undefined
}

/** A step of which a call waits: its calls, and the runs of those that have ended. */
export interface UnfinishedStep {
  readonly mode: "json" | "native"
  /** The answer's words beside the calls. */
  readonly text: string
  readonly planned: readonly ModelCall[]
  /** The calls as the provider sent them. */
  readonly calls: readonly ToolCall[]
  /** For each planned call its run; null for one that did not run yet. */
  readonly runs: readonly (ToolRun | null)[]
}

/** The results of recall and of the tools that run before the first plan. */
export interface Findings {
  readonly memories: readonly RecalledMemory[]
  readonly prestartRuns: readonly ToolRun[]
  /** Prestart results that this turn's prompts show. */
  readonly prestart: readonly KeptPrestart[]
  /** Prestart results as history has them (T26). */
  readonly kept: readonly KeptPrestart[]
}

/** Names with which a text must not begin a line, and the looks by which it is compared with them (T5). */
export interface OtherSpeakers {
  readonly names: readonly string[]
  readonly looks: readonly Look[]
}

/** The changes of hooks that last for the turn. */
export interface HookResults {
  /** The states that hooks keep with the session, as this turn changes them. */
  readonly states: Map<string, unknown>
  /** Ids of the notes that hooks took in. */
  readonly takenNotes: Set<string>
  /** True once the turn has ended, so that hooks can change nothing more. */
  areOver: boolean
  /** Called after each tool run of the model. */
  readonly runListeners: ((run: ToolRun) => void)[]
  /** The entries of lorebooks that hooks looked at. */
  readonly lore: LoreDecision[]
}

/** The parts of a turn's trace that grow while it runs. */
export interface TurnLog {
  readonly steps: TraceStep[]
  readonly warnings: TurnWarning[]
  readonly records: ToolRecord[]
  /** Tools whose call the answer owed and that did not come (R16). */
  readonly unreported: string[]
  /** Agents that run, or ran, inside tool calls. */
  readonly children: ChildRun[]
  /** Subjects that `warnOnce` has warned of. */
  readonly warnedOf: Set<string>
  /** The last request with the prompt of the first one, after its answer: the next turn begins like it. Only with `cache_keep_alive`. */
  lastRequest: { prompt: string; model: LanguageModel; request: ModelRequest; usage: Usage | undefined } | undefined
}

/** The bytes that a turn has at hand. */
export interface TurnFiles {
  /** By id, those of its attachments. */
  readonly bytes: Map<string, Uint8Array>
  /** The files of the answer that the model made. */
  readonly made: Attachment[]
  /** By id, those that came up in this turn: the ones that its messages name are kept with them. */
  readonly madeBytes: Map<string, Uint8Array>
}

/** An agent inside a tool call. Its trace can be asked for at any time. */
export interface ChildRun {
  readonly id: string
  readonly name: string
  trace(): TurnTrace
}
