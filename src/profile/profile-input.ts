import type { TrustedText } from "../core/value.ts"
import type {
  BudgetSettings,
  ContextSettings,
  DocumentsSettings,
  FilesSettings,
  HistorySettings,
  LoopSettings,
  MemorySettings,
  ModelSettings,
  OutputSettings,
  PrestartSettings,
  Profile,
  RetrySettings,
  TimeLimits,
  ToolSettings,
} from "./profile.ts"

/** A profile as one writes it in code: every part may be left out, and a plain string stands for author text. */
export interface ProfileInput {
  readonly name?: string
  readonly locale?: string
  readonly dialect?: Profile["dialect"]
  /** Both default to the profile's name. */
  readonly timeZone?: string
  readonly agent?: Partial<Profile["agent"]>
  readonly user?: Partial<Profile["user"]>
  readonly persona?: string | TrustedText
  readonly format?: string | TrustedText
  readonly variables?: Profile["variables"]
  readonly skills?: Profile["skills"]
  readonly plugins?: Profile["plugins"]
  readonly context?: Partial<ContextSettings>
  readonly output?: Partial<OutputSettings>
  readonly documents?: Partial<DocumentsSettings>
  readonly files?: Partial<FilesSettings>
  readonly loop?: Partial<LoopSettings>
  readonly limits?: Partial<TimeLimits>
  readonly history?: Partial<HistorySettings>
  readonly budget?: Partial<BudgetSettings>
  readonly tools?: Partial<ToolSettings>
  readonly prestart?: readonly PrestartInput[]
  readonly model?: ModelSettings
  readonly retry?: Partial<RetrySettings>
  readonly memory?: Partial<MemorySettings>
  readonly recallWeights?: Partial<Profile["recallWeights"]>
  readonly mcp?: Profile["mcp"]
  readonly final?: { readonly system?: string | TrustedText }
}

/** A prestart tool as one writes it: without arguments, not kept in history, and with the profile's time limit by default. */
export type PrestartInput = Pick<PrestartSettings, "tool"> & Partial<PrestartSettings>
