import type { ServiceKey, Speaker } from "../../core/conversation.ts"
import type { Clock } from "../../core/ports.ts"
import type { TextPart } from "../../core/value.ts"

/** A JSON Schema object, as data. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The second argument of `Tool.execute`: the turn around the call. */
export interface ToolContext {
  /** Aborts when the turn is aborted or when the tool's time limit is over. */
  readonly signal: AbortSignal
  readonly key: ServiceKey
  readonly turnId: string
  readonly clock: Clock
  /**
   * Asks the user for permission. The tool's time limit is paused meanwhile. Absent when nobody can be asked. Where the answer comes only
   * after the turn has ended, `signal` aborts and the promise rejects with an `AbortError`; after a yes the tool runs anew from its
   * beginning, with the same arguments. So ask before anything is done: what was done before the question is done twice.
   */
  readonly confirm?: Confirm | undefined
  /** In a call that runs anew after a yes: true for the question that was allowed, if it is the next one of the call. */
  wasAllowed?(question: Pick<ConfirmRequest, "summary" | "detail">): boolean
  /** Adds a record of what the tool did to the turn's trace, beside the result. The model gets its attachment with the result, if it takes that kind. */
  record?(record: ToolRecord): void
  /** True if the model takes attachments of a media type. Absent when that is unknown. */
  takes?(mediaType: string): boolean
  /** Reports the progress of a long call as an event of the turn, and begins the tool's time limit anew, which the turn's own bounds. Ignored after the call has ended. */
  progress?(progress: ToolProgress): void
  /** False when this turn's requests show the injection with this key only in part or not at all. Absent when that is unknown. */
  isShownWhole?(key: string): boolean
  /** An opaque handle of the turn that runs the tool, for a tool that runs an agent of its own (R25). Absent outside a turn. */
  readonly parent?: object
  /** False when the turn's token budget would cut this result. Absent when that is unknown. */
  resultFits?(result: string): boolean
}

/** The progress of a call in the tool's own unit. Without `total` the end is unknown. */
export interface ToolProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** A part of a tool's result that is not text, such as a picture. */
export interface ToolAttachment {
  /** The media type that the sender gave, such as `image/png`. */
  readonly mediaType: string
  readonly bytes: number
  /** Absent when the data is too large to keep. */
  readonly base64?: string | undefined
}

/** A record of a tool's action that a person may want to look up or undo later. Plain JSON. */
export interface ToolRecord {
  /** The kind of action, such as `write`. */
  readonly kind: string
  readonly tool: string
  /** One line, such as `changed MEMORY.md`. */
  readonly summary: string
  /** More about the action, such as a diff. */
  readonly detail?: string
  /** The id to undo the action with. Absent when it cannot be undone. */
  readonly id?: string | undefined
  readonly attachment?: ToolAttachment
}

/** The outcome of checking arguments: the value with defaults filled in, or one line for each problem. */
export type ArgumentCheck =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] }

/** All tool groups (R28). */
export const toolGroups = ["context", "ai", "device", "development", "terminal", "external"] as const

/** One of {@link toolGroups}. */
export type ToolGroup = (typeof toolGroups)[number]

/** A tool that an agent can run, made by `defineTool`. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** When to use it, for the tools layer (L6). */
  readonly usageHint?: string | undefined
  /** The kind of tool (R28). A profile can choose groups, and a group can have rules of use. */
  readonly group?: ToolGroup | undefined
  /** `author` for tools defined in code. `tool` for texts that came over a network: these are encoded in prompts. */
  readonly trust: "author" | "tool"
  /** True if its arguments are words to another model. What a mention in them stands for is quoted with its speaker (R7). */
  readonly runsAgent?: true | undefined
  /** JSON Schema of the arguments, `type: "object"`. */
  readonly inputSchema: JsonSchema
  /** `prestart` hides the tool from the planner; it runs only before the first step (T27). */
  readonly visibility: "planner" | "prestart"
  /** True when equal calls in one turn are useful, as for a clock or for reading a file (T17). */
  readonly repeatable: boolean
  /** True when the tool may change something. An equal call after such a tool does not count as a repeat (T17). */
  readonly writes: boolean
  /**
   * Set for a tool that is called together with the answer, so that no further step follows (R16). An answer without a `required` one
   * is followed by one step that asks for it.
   */
  readonly withAnswer?: true | "required" | undefined
  /**
   * True for a tool that the caller of the turn runs, such as a page: `execute` is not called. A turn that calls it ends with
   * `TurnResult.calls`, and goes on with the result (`Session.answerCall`, `ChatMessage.runs`).
   */
  readonly outside?: true | undefined
  /** True, or a function that returns true, for calls that a person must allow before they run. The function gets checked arguments. */
  readonly needsApproval?: boolean | ((args: unknown) => boolean | Promise<boolean>) | undefined
  readonly timeoutMs?: number | undefined
  /** The limit of the result, in code points. Longer results are cut, with a visible notice. */
  readonly maxResultCharacters?: number | undefined
  /** Checks arguments against the schema; never throws. */
  check(args: unknown): Promise<ArgumentCheck>
  /** Runs with checked arguments; may return anything, may throw anything. */
  execute(args: unknown, context: ToolContext): unknown
}

/** One tool run of a turn. `result` is the text that the planner sees. */
export interface ToolRun {
  readonly id: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly status: "ok" | "failed"
  readonly failure?: "unknown-tool" | "invalid-arguments" | "denied" | "awaiting-approval" | "threw" | "timeout" | "aborted"
  /** The id of the run whose result was reused instead of running the tool again: one of this turn (T17), or of an earlier turn's prestart (H5). */
  readonly repeatOf?: string
  readonly result: string
  /** Pictures, recordings and files of the result that the model gets. */
  readonly parts?: readonly TextPart[]
  /** Set when the tool returned nothing; `result` then says so. */
  readonly empty?: true
  /** The result's length in characters before it was cut. Absent when it was not cut. */
  readonly cappedFromCharacters?: number
  readonly durationMs: number
}

/** False for a call that waits, for a person or for its result from outside. */
export function hasEnded({ failure }: Pick<ToolRun, "failure">): boolean {
  return failure !== "awaiting-approval"
}

/**
 * True if the run's result is a sentence of the dialect: the tool returned nothing, or it did not run to its end. The words of others
 * in such a sentence are encoded already. The result of any other run is the tool's, also the message of an error that it threw.
 */
export function isSentence({ empty, failure }: Pick<ToolRun, "empty" | "failure">): boolean {
  return empty === true || (failure !== undefined && failure !== "threw")
}

/** A question to the user before a tool does something that needs permission. */
export interface ConfirmRequest {
  /** The id of the tool call, as in its events. The turn sets it. */
  readonly id?: string
  /** The conversation and the person who is asked. The turn sets it. */
  readonly key?: ServiceKey
  readonly tool: string
  /** The arguments of a call that needs approval (`Tool.needsApproval`). */
  readonly args?: Readonly<Record<string, unknown>>
  /** The planned action in one line, such as `change SOUL.md`. */
  readonly summary: string
  /** More information for the decision, such as a diff. */
  readonly detail?: string
}

/** Asks the user. `false` refuses, which the model is told. A refused request is not asked again within the same call. */
export type Confirm = (request: ConfirmRequest, signal: AbortSignal) => Promise<boolean>

/** A tool call that a person must allow before it runs. Plain JSON. */
export interface Approval {
  /** The id for `Session.approve` and `Session.deny`. */
  readonly id: string
  /** The id of the call in events and traces. */
  readonly callId: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** The call in one line, or its question in the middle of its work. */
  readonly summary: string
  /** More about that question, such as a diff. */
  readonly detail?: string | undefined
  /** A short name of it for words that a person types, such as `K4T7B2`. It stands for the id everywhere. */
  readonly code: string
  /** The person whose turn asked. Pass whoever answers as `by`, so that nobody else does. */
  readonly from: Speaker
  readonly askedMs: number
  /** The moment after which it can no longer be answered. */
  readonly untilMs: number
  /** Absent while nobody has answered. */
  readonly answer?: ApprovalAnswer
}

/** The answer to a question about a tool call. */
export interface ApprovalAnswer {
  readonly approved: boolean
  /** The reason of a refusal, for the model. */
  readonly reason?: string
  /** The result of a call that ran outside. */
  readonly result?: string
}
