import type { HistoryMessage, KeptPrestart } from "../core/history.ts"
import type { Speaker } from "../core/keys.ts"
import type { ToolCall } from "../core/message.ts"
import type { Entry, Text } from "../core/value.ts"
import type { Tool, ToolRun } from "../tools/tool.ts"

/** One memory, as recall hands it back. */
export interface RecalledMemory {
  readonly text: string
  /** Who said it, where somebody did. */
  readonly speaker?: string
  /** When, in milliseconds since 1970. */
  readonly atMs?: number
  /** For the trace: its id, and what spoke for it. */
  readonly id?: string
  readonly score?: number
  readonly why?: readonly { readonly signal: string; readonly value: number; readonly share: number }[]
}

/**
 * One thing the planner did in this turn, for dialects that append: its call and what came back, or a fault with its
 * re-prompt. A `notice` is a sentence of the dialect whose values are encoded already; it stands as it is.
 */
export type PlannerStep =
  | { readonly type: "run"; readonly call: string; readonly run: ToolRun }
  | { readonly type: "native"; readonly text: string; readonly calls: readonly ToolCall[]; readonly runs: readonly ToolRun[] }
  | { readonly type: "fault"; readonly output: string; readonly notice: string }

/** Why an agent begins by itself (R27), and what its prompt can say about silence. */
export interface WakeReason {
  readonly reason: string
  /** True where `<empty_reply>` is understood. */
  readonly bubbles: boolean
  /** True where there is to be no idle talk. */
  readonly workMode: boolean
}

/** Everything a turn knows that its prompts can show. */
export interface TurnState {
  /** Present where nobody spoke: then the question is left out. */
  readonly wake?: WakeReason
  readonly question: { readonly speaker: Speaker; readonly text: string }
  /** When the turn began, in milliseconds since 1970, and the IANA time zone in which prompts tell times; default: the host's. */
  readonly atMs?: number
  readonly timeZone?: string
  /** Paths of the files that came with the question (R8). */
  readonly files?: readonly string[]
  /** What the answer before showed and could not be opened (R8). */
  readonly fileFaults?: readonly UnopenedFile[]
  /** The profile's rules of use for groups of tools (R28). */
  readonly groupRules?: Readonly<Record<string, Text>>
  /** True where several people speak: then lines carry their speaker. */
  readonly group: boolean
  readonly agentName: string
  /** False where the conversation's memory is switched off (D2); the flag `memory_on` in prompts. Default true. */
  readonly memoryOn?: boolean
  /** The window of history before the question, oldest first (T30). */
  readonly history: readonly HistoryMessage[]
  readonly memories: readonly RecalledMemory[]
  readonly prestart: readonly KeptPrestart[]
  readonly tools: readonly Tool[]
  readonly runs: readonly ToolRun[]
  readonly steps: readonly PlannerStep[]
  /** The planner's advice for the final output (T12). */
  readonly note?: string
  /** Why the planner's last output could not be read (T21): a sentence of the dialect whose values are encoded already. */
  readonly fault?: string
}

/** A reference of the answer before that was not opened (R8), as it was written, and why: the name of a condition in `file_faults.md`. */
export interface UnopenedFile {
  readonly written: string
  readonly fault: string
  readonly totalLines?: number
}

/** The entry that `file_faults.md` prints. */
export function fileFaultEntry({ written, fault, totalLines }: UnopenedFile): Entry {
  return {
    [fault]: true,
    file: { text: written, trust: "agent" },
    ...(totalLines === undefined ? {} : { total: { text: String(totalLines), trust: "author" } }),
  }
}
