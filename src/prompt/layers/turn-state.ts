import type { Addressees, Attachment, HistoryMessage, KeptPrestart, Speaker } from "../../core/conversation.ts"
import type { ToolCall } from "../../core/span.ts"
import type { Trust, TrustedText } from "../../core/value.ts"
import type { Tool, ToolRun } from "../tools/tool.ts"

/** A recalled memory. */
export interface RecalledMemory {
  readonly text: string
  /** The place from which a text is shown that is too long. Default 0. */
  readonly foundAt?: number
  /** The name of the person who said it; absent if nobody did. */
  readonly speaker?: string
  /** When it was said, in milliseconds since 1970. */
  readonly atMs?: number
  /** When the same was said at other times, oldest first. */
  readonly againAtMs?: readonly number[]
  /** For the trace: the memory's id, and the signals that made its score. */
  readonly id?: string
  readonly score?: number
  /** The score of the program's own `rerank`, which made the order. */
  readonly reranked?: number
  readonly why?: readonly { readonly signal: string; readonly value: number; readonly share: number }[]
}

/**
 * A step of the planner in this turn, for dialects that append to the prompt: a call with its result, or an unreadable output with the
 * notice that asks again. The `notice` is a sentence of the dialect. Its values are encoded already, so it is printed as it is.
 */
export type PlannerStep =
  | { readonly type: "run"; readonly call: string; readonly run: ToolRun }
  | { readonly type: "native"; readonly text: string; readonly calls: readonly ToolCall[]; readonly runs: readonly ToolRun[] }
  | { readonly type: "fault"; readonly output: string; readonly notice: string }

/** The reason of a turn in which nobody spoke (R27), and what the prompt can say about silence. */
export interface WakeReason {
  readonly reason: string
  /** The origin of the reason's words. Default `tool`. */
  readonly trust?: Trust | undefined
  /** True if the agent may answer `<empty_reply>`, which says nothing. */
  readonly bubbles: boolean
  /** True if there should be no idle talk. */
  readonly workMode: boolean
}

/** Says what a model takes beside text. */
export interface Sight {
  /** Equal keys mean equal answers. */
  readonly key: string
  /** About the tokens of an attachment; undefined if the model gets its name alone. */
  tokensOf(attachment: Attachment): number | undefined
  /** True for an attachment that gave way to newer ones. */
  isGone(attachment: Attachment): boolean
}

/** Everything about a turn that its prompts can show. */
export interface TurnState {
  /** Present if nobody spoke. The question is then left out. */
  readonly wake?: WakeReason | undefined
  readonly question: Addressees & { readonly speaker: Speaker; readonly text: string }
  /** When the turn began, in milliseconds since 1970. */
  readonly atMs?: number
  /** The IANA time zone of times in prompts; default: the host's. */
  readonly timeZone?: string | undefined
  /** The files that came with the question (R8). */
  readonly attachments?: readonly Attachment[] | undefined
  /** The pictures, recordings and files that the model can take. Default: none; prompts name them. */
  readonly sight?: Sight | undefined
  /** Files that the previous answer referred to and that could not be opened (R8). */
  readonly fileFaults?: readonly UnopenedFile[]
  /** The profile's rules of use for groups of tools (R28). */
  readonly groupRules?: Readonly<Record<string, TrustedText>>
  /** True if several people speak. Lines then carry their speaker. */
  readonly group: boolean
  readonly agentName: string
  /** The name that the profile gives to whoever has none. */
  readonly userName?: string
  /** False if the conversation's memory is switched off (D2). Prompts see it as the flag `memory_on`. Default true. */
  readonly memoryOn?: boolean
  /** True if the model's provider holds its decision to a schema (T52). Prompts see it as the flag `decision_schema`. */
  readonly keepsToSchema?: boolean
  /** True if the prompt is one for native calls: kept tool runs of earlier turns are then shown as calls. */
  readonly nativeCalls?: boolean
  /** The messages before the question that prompts show, oldest first (T30). */
  readonly history: readonly HistoryMessage[]
  readonly memories: readonly RecalledMemory[]
  readonly prestart: readonly KeptPrestart[]
  readonly tools: readonly Tool[]
  readonly runs: readonly ToolRun[]
  readonly steps: readonly PlannerStep[]
  /** The planner's advice for the final output (T12). */
  readonly note?: string | undefined
  /** The reason why the planner's last output could not be read (T21). A sentence of the dialect; its values are encoded already. */
  readonly fault?: string | undefined
}

/** A file reference, as the previous answer wrote it, that was not opened (R8). `fault` is the name of a condition in `file_faults.md`. */
export type UnopenedFile = { readonly written: string; readonly fault: string; readonly totalLines?: number | undefined }
