import type { Attachment, SessionKey, Speaker } from "../../../core/conversation.ts"
import type { Usage } from "../../../core/model/language-model.ts"
import type { Assembly, LoreDecision, MessageRole, Prefix, Span, ToolCall } from "../../../core/span.ts"
import type { Injection } from "../../../core/value.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import type { RecalledMemory } from "../../../prompt/layers/turn-state.ts"
import type { ToolRun } from "../../../prompt/tools/tool.ts"
import type { AssemblyDifference, ChangedSpan } from "../../../trace/diff-assemblies.ts"
import type { TraceStep, TurnWarning } from "../../../trace/trace.ts"
import type { StopReason, TurnEvent } from "../../../trace/turn-event.ts"
import type { NotedChanges } from "./timeline/context-changes.ts"
import type { RecordedJob } from "./timeline/recorded-jobs.ts"

/** A turn as the inspector shows it: plain JSON, with `[secret]` in place of everything that looks like a key. */
export interface TurnRecord extends TurnFacts {
  /** Grows when a field changes its meaning or goes. New fields leave it as it is. */
  readonly version: 1
  /** True if it was read from the disk. */
  readonly isKept?: true
  readonly question: string
  readonly answer: string
  /** The agent's colour (R29). */
  readonly colour?: string | undefined
  readonly events: readonly RecordedEvent[]
  /** Events over the most that one turn keeps. */
  readonly lostEvents: number
  /** The calls of the model, in order; those of children follow in {@link children}. While the turn runs, those that were sent. */
  readonly requests: readonly RecordedRequest[]
  readonly prestart: readonly ToolRun[]
  readonly tools: readonly ToolRun[]
  /** The memories in its prompts, the most relevant first, each with its scores. */
  readonly recalled: readonly RecalledMemory[]
  /** The items on the session's stack when the turn began, and those that were given with it. Absent in a preview. */
  readonly items?: readonly Injection[]
  /** The pictures, recordings and files that came with its words, without their bytes. */
  readonly attachments?: readonly Attachment[] | undefined
  readonly warnings: readonly TurnWarning[]
  readonly children: readonly RecordedChild[]
  /** The outcomes of background work for the turn so far. */
  readonly receipts: readonly Receipt[]
  /** The background jobs for the turn that ran in this process. */
  readonly jobs?: readonly RecordedJob[] | undefined
  /** The changes of its conversation's virtual context; absent without one, and for a turn that has no answer. */
  readonly context?: NotedChanges | undefined
}

/** The facts about a turn. */
interface TurnFacts {
  readonly id: string
  readonly session: SessionKey
  readonly speaker: Speaker
  /** The reason of a turn in which nobody spoke (R27). */
  readonly wake?: string | undefined
  readonly outcome: TurnOutcome
  /** Milliseconds since 1970. */
  readonly startedMs: number
  /** Absent while the turn runs. */
  readonly durationMs?: number | undefined
  readonly usage: Usage
  readonly cost?: number | undefined
}

/** A turn in a list. */
export interface TurnSummary extends TurnFacts {
  /** The first 20,000 characters, as of the answer. */
  readonly question: string
  /** While the turn runs, the part that is there. */
  readonly answer: string
  /** The emotion that it shows last. */
  readonly emotion?: string | undefined
  /** Calls of the model and runs of tools, without those of children. */
  readonly calls: number
  readonly tools: number
  /** Background jobs for the turn that run now. */
  readonly jobs?: number
}

/** How a turn ended, or what it does now. */
export type TurnOutcome =
  | { readonly state: "running"; readonly doing: string }
  | { readonly state: "answered"; readonly stopReason: StopReason }
  | { readonly state: "failed"; readonly code: string; readonly message: string }
  /** No model was asked: the request is the one that a turn would begin with. */
  | { readonly state: "previewed" }

/** An event of a turn with its time. The deltas of one run of text or thought are one event. */
export interface RecordedEvent {
  readonly type: TurnEvent["type"]
  /** Milliseconds since the turn began. */
  readonly atMs: number
  /** For deltas: when the last of them came, and how many characters they had. */
  readonly endMs?: number | undefined
  readonly characters?: number | undefined
  /** The id of a tool's call, or the step's number. */
  readonly id?: string | undefined
  /** The tool, the prompt, or the child. */
  readonly name?: string
  /** A warning, an error, or a reason. */
  readonly text?: string | undefined
}

/** A request that was assembled, in the form of a record. */
export interface ShownAssembly extends Pick<Assembly, "tokens" | "overheadTokens" | "exact" | "decisions" | "windowRoom"> {
  readonly messages: readonly RecordedMessage[]
  readonly prefixes: readonly PrefixMark[]
  /** The entries of lorebooks that were looked at, in the turn's first request. */
  readonly lore?: readonly LoreDecision[] | undefined
}

/** One call of the model, as its trace tells it, with the request in the form of a record. */
export interface RecordedRequest extends ShownAssembly, Omit<TraceStep, "assembly"> {
  /** The difference to the last request of the same prompt in the session. Absent for the first one, and if that one is no longer kept. */
  readonly change?: RequestChange | undefined
  readonly cost?: number | undefined
}

/** A message of a request. Joined, the texts of its spans are its content. */
export interface RecordedMessage {
  readonly role: MessageRole
  readonly spans: readonly RecordedSpan[]
  readonly toolCalls?: readonly Pick<ToolCall, "id" | "name" | "args">[] | undefined
  readonly toolCallId?: string | undefined
}

/** A run of characters of one origin. */
export type RecordedSpan = Omit<Span, "message" | "parts"> & {
  /** The place of its injection among others, if it stands on the session's stack. */
  readonly priority?: number | undefined
  /** Names of the pictures and files behind it. */
  readonly files?: readonly string[] | undefined
}

/** The end of a stable beginning of the request: behind so many spans of a message. */
export interface PrefixMark extends Pick<Prefix, "stability" | "message" | "tokens"> {
  readonly spans: number
}

/** The difference to an earlier request. */
export interface RequestChange extends Pick<AssemblyDifference, "outcome" | "sharedTokens" | "brokeStable" | "excerpt"> {
  /** The span that made the difference; its key is the one that broke the cache. */
  readonly cause?: Pick<ChangedSpan, "key" | "stability" | "source" | "change"> | undefined
  readonly since: { readonly turn: string; readonly step: number }
  /** The place where they part: a message, and a span of it. */
  readonly message: number
  readonly span: number
  /** Tokens of the earlier request behind the place: no cache can serve them again. 0 if it is extended. */
  readonly lostTokens: number
  /** The price of these tokens over that from the cache, if it is known. */
  readonly lostCost?: number | undefined
}

/** The turn of a child agent inside a tool call (R25). */
export interface RecordedChild {
  /** The id of the tool call. */
  readonly id: string
  readonly name: string
  readonly requests: readonly RecordedRequest[]
  readonly tools: readonly ToolRun[]
  readonly children: readonly RecordedChild[]
}
