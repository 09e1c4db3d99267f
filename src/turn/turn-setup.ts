import type { HistoryMessage } from "../core/history.ts"
import type { ServiceKey, Speaker } from "../core/keys.ts"
import type { Ports } from "../core/ports.ts"
import type { Text } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import type { LanguageModel, ModelRequest } from "../model/language-model.ts"
import type { LoopSettings, OutputSettings, PrestartSettings, RetrySettings, TimeLimits } from "../profile/profile.ts"
import type { MemoryRecall } from "../services/memory/memory-service.ts"
import type { MessageFilter, SessionNote } from "../services/store/session-store.ts"
import type { TurnHook } from "../services/turn-hook.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { Confirm } from "../tools/confirm.ts"
import type { ToolSet } from "../tools/tool-set.ts"

/** Everything one turn is made from. The loop takes nothing from anywhere else. */
export interface TurnSetup {
  readonly key: ServiceKey
  readonly turnId: string
  /** Its text is empty where nobody spoke: then there is `wake`. */
  readonly question: { readonly speaker: Speaker; readonly text: string }
  /** Paths of the files that came with the question (R8). */
  readonly files?: readonly string[]
  /** IANA name of the zone in which prompts tell times; absent: the host's. */
  readonly timeZone?: string
  /** Rules of use of groups of tools, by group (R28). */
  readonly groupRules?: Readonly<Record<string, Text>>
  /** Groups of tools that the turn may use; absent: all. Tools without a group are always there. */
  readonly toolGroups?: readonly string[]
  /** True where calls may say `@last_NAME` for what was said (R7). */
  readonly mentions?: boolean
  /** Why the agent begins by itself (R27), in author's words. */
  readonly wake?: string
  /** Which process runs it (R24). */
  readonly process: string
  /** How many agents stand above it: 0 for a turn of a session. */
  readonly depth: number
  readonly agentName: string
  /** Tried in order; the first is the one meant. */
  readonly models: readonly [LanguageModel, ...LanguageModel[]]
  readonly retry: RetrySettings
  readonly dialect: Dialect
  /** This turn's fork of the session's stack. */
  readonly stack: PromptStack
  readonly tools: ToolSet
  /** The window before the question, oldest first. */
  readonly history: readonly HistoryMessage[]
  readonly prestart: readonly PrestartSettings[]
  readonly memory?: MemoryRecall
  /** False where the conversation's memory is switched off (D2). */
  readonly memoryOn: boolean
  readonly recallLimit: number
  readonly hooks: readonly TurnHook[]
  /** What each hook keeps with the session, by its name. */
  readonly hookStates: Readonly<Record<string, unknown>>
  /** Its number in its conversation, from 0. */
  readonly turn: number
  /** What was left for hooks since the last turn. */
  readonly notes: readonly SessionNote[]
  /** The conversation's messages, those outside the window too. Absent: nothing but the window is known. */
  readonly messages?: (filter: MessageFilter) => Promise<readonly HistoryMessage[]>
  readonly confirm?: Confirm
  readonly loop: Pick<LoopSettings, "mode" | "maxSteps" | "strict">
  readonly limits: TimeLimits
  /** Tokens a request may have, the answer's share already taken off. */
  readonly budgetTokens?: number
  /** Of these, what the turn's first request leaves free for later steps. */
  readonly reserveTokens: number
  readonly output: OutputSettings
  readonly maxResultCharacters?: number
  readonly request: Pick<ModelRequest, "responseFormat" | "maxOutputTokens" | "temperature">
  readonly ports: Ports
}
