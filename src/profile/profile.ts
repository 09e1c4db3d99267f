import type { TrustedText } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import type { Skill } from "../layers/skills.ts"
import type { OutputFormat } from "../reply/output/output-part.ts"
import type { FileReferences } from "../services/file-references.ts"
import type { Plugin } from "../services/plugin.ts"
import type { RecallWeights } from "../services/recall/recall-weights.ts"
import type { Tool, ToolGroup } from "../tools/tool.ts"
import type { McpSettings } from "./mcp-settings.ts"

export type { McpServerSettings } from "./mcp-settings.ts"

/**
 * Everything that makes one agent, complete: nothing is optional that has a default. Made by `resolveProfile` in code or by
 * `loadProfile` from TOML (L9).
 */
export interface Profile {
  readonly name: string
  /** Such as `en` or `zh-CN`: chooses among the prompts of a dialect. */
  readonly locale: string
  /** A shipped dialect's name, or a compiled one. */
  readonly dialect: Dialect | string
  /** IANA name of the time zone in which prompts tell times; absent: the host's. */
  readonly timeZone?: string
  /** `id` keys its sessions; `name` is shown in prompts; `colour`, such as `#1D75B3`, is for whatever shows the agent (R29). */
  readonly agent: { readonly id: string; readonly name: string; readonly colour?: string }
  /** How the user is shown in a private conversation; in a group each message carries its own speaker (T6). */
  readonly user: { readonly name: string }
  /** Who the agent is, whole, for the slot `persona` (L3). Blank: nobody in particular. */
  readonly persona: TrustedText
  /** How it writes, whole, for the slot `format` (L4). */
  readonly format?: TrustedText
  /** Named values for prompts: each fills the slot of its name. */
  readonly variables: Readonly<Record<string, string | boolean | TrustedText>>
  /** Layer 3, in no particular order (L5). */
  readonly skills: readonly Skill[]
  /** What extends the agent (L10); their tools, skills, hooks and formats come after the profile's own. */
  readonly plugins: readonly Plugin[]
  readonly context: ContextSettings
  readonly output: OutputSettings
  /** Absent: the agent has no living documents. */
  readonly documents?: DocumentsSettings
  readonly files: FilesSettings
  readonly loop: LoopSettings
  readonly limits: TimeLimits
  readonly history: HistorySettings
  readonly budget: BudgetSettings
  readonly tools: ToolSettings
  readonly prestart: readonly PrestartSettings[]
  readonly model: ModelSettings
  readonly final: FinalSettings
  readonly memory: MemorySettings
  /** What counts how much in recall; 0 leaves a signal out. */
  readonly recallWeights: RecallWeights
  readonly retry: RetrySettings
  readonly mcp: McpSettings
}

/** How a turn plans. */
export interface LoopSettings {
  /**
   * `json`: the planner answers with one JSON object; `native`: with the model's own tool calls, where it has them;
   * `chat`: no tools, one call; `auto`: native where the model can, else JSON.
   */
  readonly mode: "json" | "native" | "chat" | "auto"
  /** Planner calls before the final output is forced (T16). */
  readonly maxSteps: number
  /** True turns the ladder of tolerant reading off: output that is not a bare JSON object is a fault (T21). */
  readonly strict: boolean
  /** `json` asks the provider for a JSON object; some servers refuse that, so the default is `text`. */
  readonly responseFormat: "json" | "text"
}

/** How long things may take, in milliseconds. */
export interface TimeLimits {
  /** From a request to its first part. */
  readonly firstTokenMs: number
  /** Between two parts of a stream. */
  readonly betweenChunksMs: number
  /** One tool run, unless the tool says otherwise. */
  readonly toolMs: number
  /** One prestart tool, unless its entry says otherwise. */
  readonly prestartMs: number
  /** One call of the model. */
  readonly stepMs: number
  /** The whole turn. */
  readonly turnMs: number
  /** For a person to answer when a tool asks; the other limits stand still meanwhile. */
  readonly confirmMs: number
}

/** How much of the conversation a prompt shows. */
export interface HistorySettings {
  /** Messages of recent dialogue (T30). */
  readonly contextCount: number
  /** `slide` shows exactly the last `contextCount`; `steps` shows that many to twice that many, so that a cached prefix holds longer (S16). */
  readonly window: "slide" | "steps"
}

/** How many tokens a request may have; without `tokens` nothing is cut. */
export interface BudgetSettings {
  readonly tokens?: number
  /** Reserved for the answer. */
  readonly answerTokens: number
  /** Reserved for the turn's later steps. */
  readonly stepTokens: number
}

/** Which tools there are and how they behave. */
export interface ToolSettings {
  /** Built-in tools, by name: each stands in `builtin` too. */
  readonly enabled: readonly string[]
  /** The built-in tools themselves; `loadProfile` makes those that are enabled. */
  readonly builtin: readonly Tool[]
  /** Tools that the planner does not see (T27). */
  readonly prestartOnly: readonly string[]
  /** Longer results are cut, with a visible notice. */
  readonly maxResultCharacters: number
  /** Groups whose tools the agent has, beside those of no group (R28). Absent: all. */
  readonly groups?: readonly ToolGroup[]
  /** Rules of use of groups, for prompts (R28). */
  readonly rules: Readonly<Partial<Record<ToolGroup, TrustedText>>>
  /** True puts what was said in place of `@last_NAME` in the arguments of calls (R7). */
  readonly mentions: boolean
}

/** A tool that runs before the first plan (T25). */
export interface PrestartSettings {
  readonly tool: string
  /** `{{question}}` in a string is filled. */
  readonly args: Readonly<Record<string, unknown>>
  /** True keeps the result in history (T26). */
  readonly includeHistory: boolean
  readonly timeoutMs?: number
}

/** Which model, and how it is asked. */
export interface ModelSettings {
  readonly id?: string
  readonly baseUrl?: string
  readonly temperature?: number
  readonly maxOutputTokens?: number
}

/** How the final output is asked for. */
interface FinalSettings {
  /** Its system message, for the slot `final_system`; by default there is none (T3). */
  readonly system?: TrustedText
}

/** How memories enter a turn. */
export interface MemorySettings {
  /** False: nothing is recalled, whatever service the agent has (L8). A conversation can switch it off for itself (D2). */
  readonly enabled: boolean
  /** Memories that recall may bring, at most. */
  readonly recallLimit: number
  /** A turn of at least this importance, from 0 to 10, is stored (T31). */
  readonly importanceThreshold: number
  /** Reflection is due after so many memories; 0 for never (T36). */
  readonly reflectEvery: number
  /** Reflection is also due once the importance of new memories adds up to so much. */
  readonly reflectImportance?: number
  /** A cron pattern in the profile's time zone: reflection is also due with the first turn after each of its moments. */
  readonly reflectSchedule?: string
  /** With an embedding model: from this cosine similarity on, a newer memory of the same speaker takes the older one's place. */
  readonly duplicateSimilarity?: number
  /** So many turns of a private conversation are judged in one call of the model. */
  readonly batchTurns: number
  /** So many questions to a model for one user in any 24 hours, beside the turns themselves. */
  readonly dailyCalls?: number
  /** How long each step after a turn may take. */
  readonly stepMs: number
  /** Characters of the user profile in a prompt, at most. */
  readonly profileCharacters: number
}

/** Layer 5 of the turns before. */
export interface ContextSettings {
  /** What history shows of the memories that an earlier turn recalled: nothing, a line each cut to `olderCharacters`, or all of it. */
  readonly older: "drop" | "condense" | "keep"
  readonly olderCharacters: number
}

/** How an answer is read before it is shown. */
export interface OutputSettings {
  /** The parser of `format`, where it has one (L4). */
  readonly format?: OutputFormat
  /** True where `@br` parts an answer into bubbles and `<empty_reply>` means silence. */
  readonly bubbles: boolean
  /** Opens the files that an answer names by `%[path]` (R8); absent: `%[` is text. */
  readonly files?: FileReferences
}

/** The living documents: SOUL.md, USER.md and MEMORY.md (D1–D8). */
export interface DocumentsSettings {
  /** Where they lie, absolute. `loadProfile` always says it; by default the folder of {@link FilesSettings}. */
  readonly folder?: string
  readonly placement: "system" | "user"
  /** A longer document is shown with its middle cut out (D4). */
  readonly maxCharacters: number
  /** Share of `maxCharacters` that each keeps under a token budget (D5). */
  readonly minShare: number
  /** Below this USER.md counts as nearly empty (D8). */
  readonly nearlyEmptyCharacters: number
  /** Above this share of `maxCharacters` MEMORY.md counts as nearly full (D8). */
  readonly nearLimitShare: number
}

/** Where file tools work. */
export interface FilesSettings {
  /** The workspace folder, absolute. `loadProfile` always says it; by default `workspace` in the data folder. */
  readonly folder?: string
  /** Whether a file that has a second name, which may lie outside the folder, can be opened (D12). */
  readonly hardLinks: "allow" | "refuse"
  /** Endings of files that an answer can show (R8), without a dot, in lower case. */
  readonly formats: readonly string[]
}

/** When a failed call of a model is made again: only before the first shown character. */
export interface RetrySettings {
  /** Calls of one model, the first included; then the next model is tried. */
  readonly maxAttempts: number
  /** The first wait; it doubles each time, with jitter. A server's own wish goes before it. */
  readonly baseDelayMs: number
  /** No wait is longer. */
  readonly maxDelayMs: number
}
