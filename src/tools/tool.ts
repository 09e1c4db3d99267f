import type { ServiceKey } from "../core/keys.ts"
import type { Clock } from "../core/ports.ts"
import type { Confirm } from "./confirm.ts"

/** A JSON Schema object, as data. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What a running tool gets beside its arguments. */
export interface ToolContext {
  /** Aborts when the turn is aborted or the tool is past its time limit. */
  readonly signal: AbortSignal
  readonly key: ServiceKey
  readonly turnId: string
  readonly clock: Clock
  /** Asks whoever decides; the tool's time limit stands still meanwhile. Absent: nobody can be asked. */
  readonly confirm?: Confirm
  /** Puts what the tool did into the turn's trace, beside its result. */
  record?(record: ToolRecord): void
  /** Tells how far a long call has come: an event of the turn. Ignored once the call has ended. */
  progress?(progress: ToolProgress): void
  /** False where this turn's requests show the injection of that key only in part, or not at all. Absent: nobody knows. */
  isShownWhole?(key: string): boolean
  /** Stands for the turn that runs the tool, for a tool that runs an agent of its own (R25). Opaque; absent outside a turn. */
  readonly parent?: object
  /** False where the turn's token budget would cut the middle out of such a result. Absent: nobody knows. */
  resultFits?(result: string): boolean
}

/** How far a call has come, in the tool's own measure; without `total` nobody knows how far it is. */
export interface ToolProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** What a tool handed over that is no text, such as a picture. */
export interface ToolAttachment {
  /** Such as `image/png`, as its sender says. */
  readonly mediaType: string
  readonly bytes: number
  /** Absent where it is too large to keep. */
  readonly base64?: string
}

/** Something a tool did that a person may want to look up or take back later: plain JSON. */
export interface ToolRecord {
  /** Such as `write`. */
  readonly kind: string
  readonly tool: string
  /** In one line: `changed MEMORY.md`. */
  readonly summary: string
  /** Such as a diff. */
  readonly detail?: string
  /** Names it where it can be taken back. */
  readonly id?: string
  readonly attachment?: ToolAttachment
}

/** The outcome of checking arguments: the value with defaults filled in, or what is wrong with it, a line each. */
export type ArgumentCheck =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] }

/** The groups of tools there are (R28). */
export const toolGroups = ["context", "ai", "device", "development", "terminal", "external"] as const

/** One of {@link toolGroups}. */
export type ToolGroup = (typeof toolGroups)[number]

/** A tool the agent can run; made by `defineTool`. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** When to use it, for the tools layer (L6). */
  readonly usageHint?: string
  /** What kind of tool it is (R28): a profile chooses among groups, and a group can have rules of use. */
  readonly group?: ToolGroup
  /** `author` for tools defined in code; `tool` for descriptions that came over a wire: those are encoded. */
  readonly trust: "author" | "tool"
  /** JSON Schema of the arguments, `type: "object"`. */
  readonly inputSchema: JsonSchema
  /** `prestart` hides the tool from the planner (T27). */
  readonly visibility: "planner" | "prestart"
  /** True when equal calls in one turn are no mistake: a clock, reading a file (T17). */
  readonly repeatable: boolean
  /** True when it may change something: an equal call after it is no repeat (T17). */
  readonly writes: boolean
  /** True for a tool that is called together with the answer and needs no further step (R16). */
  readonly withAnswer?: true
  readonly timeoutMs?: number
  /** Longer results are cut, with a visible notice. */
  readonly maxResultCharacters?: number
  /** Checks arguments against the schema; never throws. */
  check(args: unknown): Promise<ArgumentCheck>
  /** Runs with checked arguments; may return anything, may throw anything. */
  execute(args: unknown, context: ToolContext): unknown
}

/** One tool run of a turn. `result` is text, as the planner sees it. */
export interface ToolRun {
  readonly id: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly status: "ok" | "failed"
  readonly failure?: "unknown-tool" | "invalid-arguments" | "threw" | "timeout" | "aborted"
  /** The earlier run of this turn whose result was handed back instead of running again (T17). */
  readonly repeatOf?: string
  readonly result: string
  /** Set when the tool returned nothing; `result` then says so. */
  readonly empty?: true
  /** Length of the result before it was capped, in characters, when it was. */
  readonly cappedFromCharacters?: number
  readonly durationMs: number
}
