import type { Ports } from "../core/ports.ts"
import type { Dialect } from "../dialect/dialect.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { Profile } from "../profile/profile.ts"
import type { AskModel, BackgroundJob } from "../services/background/background-job.ts"
import type { KeyedQueue } from "../services/keyed-queue.ts"
import type { MemoryRecall } from "../services/memory/memory-service.ts"
import type { Observer } from "../services/observer.ts"
import type { Plugin } from "../services/plugin.ts"
import type { JobRunner } from "../services/store/job-runner.ts"
import type { ReceiptRecords } from "../services/store/records.ts"
import type { SessionStore } from "../services/store/session-store.ts"
import type { TurnHook } from "../services/turn-hook.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { Confirm } from "../tools/confirm.ts"
import type { ToolSet } from "../tools/tool-set.ts"
import type { BackgroundWarning } from "./agent-options.ts"
import type { Observers } from "./observers/observers.ts"

/** What all sessions of an agent share. */
export interface AgentParts {
  readonly profile: Profile
  readonly dialect: Dialect
  readonly models: readonly [LanguageModel, ...LanguageModel[]]
  readonly tools: ToolSet
  readonly store: SessionStore
  /** Runs what turns leave behind. */
  readonly runner: JobRunner
  readonly receipts: ReceiptRecords
  readonly memory?: MemoryRecall
  /** What follows turns durably. */
  readonly jobs: readonly BackgroundJob[]
  /** Asks the agent's model with a background prompt. */
  readonly ask: AskModel
  readonly hooks: readonly TurnHook[]
  readonly plugins: readonly Plugin[]
  readonly watchers: readonly Observer[]
  /** What feeds the watchers; absent where there are none. */
  readonly observers?: Observers
  readonly confirm?: Confirm
  readonly onWarning: (warning: BackgroundWarning) => void
  /** What runs after turns, in order within a session. */
  readonly background: KeyedQueue
  /** The stack every session forks. */
  readonly stack: PromptStack
  readonly queue: KeyedQueue
  readonly ports: Ports
  /** True once the agent was closed. */
  readonly isClosed: () => boolean
}
