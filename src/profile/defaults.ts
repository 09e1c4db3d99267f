import { defaultRecallWeights } from "../services/recall/recall-weights.ts"
import type {
  BudgetSettings,
  ContextSettings,
  DocumentsSettings,
  FilesSettings,
  HistorySettings,
  LoopSettings,
  MemorySettings,
  OutputSettings,
  RetrySettings,
  TimeLimits,
  ToolSettings,
} from "./profile.ts"

/** Text, pictures, sound and documents that chat apps show. */
const shownFormats: readonly string[] = [
  ...["txt", "md", "csv", "json", "log", "toml", "yaml", "html"],
  ...["png", "jpg", "jpeg", "gif", "webp", "svg"],
  ...["mp3", "ogg", "wav", "mp4", "webm", "pdf", "zip"],
]

/** What a profile has where it says nothing (marked "chosen" in the requirements). */
export const profileDefaults = {
  name: "default",
  locale: "en",
  dialect: "layered",
  loop: { mode: "json", maxSteps: 12, strict: false, responseFormat: "text" } satisfies LoopSettings,
  limits: {
    firstTokenMs: 60_000,
    betweenChunksMs: 30_000,
    toolMs: 30_000,
    prestartMs: 5_000,
    stepMs: 120_000,
    turnMs: 300_000,
    confirmMs: 600_000,
  } satisfies TimeLimits,
  history: { contextCount: 20, window: "steps" } satisfies HistorySettings,
  budget: { answerTokens: 1_000, stepTokens: 2_000 } satisfies BudgetSettings,
  tools: {
    enabled: [],
    builtin: [],
    prestartOnly: [],
    maxResultCharacters: 10_000,
    rules: {},
    mentions: false,
  } satisfies ToolSettings,
  retry: { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 20_000 } satisfies RetrySettings,
  recallWeights: defaultRecallWeights,
  memory: {
    enabled: true,
    recallLimit: 8,
    importanceThreshold: 5,
    reflectEvery: 20,
    batchTurns: 1,
    stepMs: 120_000,
    profileCharacters: 1_000,
  } satisfies MemorySettings,
  context: { older: "drop", olderCharacters: 120 } satisfies ContextSettings,
  output: { bubbles: false } satisfies OutputSettings,
  documents: {
    placement: "system",
    maxCharacters: 20_000,
    minShare: 0.1,
    nearlyEmptyCharacters: 100,
    nearLimitShare: 0.8,
  } satisfies DocumentsSettings,
  files: { hardLinks: "refuse", formats: shownFormats } satisfies FilesSettings,
} as const

/** How the user is called where neither profile nor persona says it. */
export function defaultUserName(locale: string): string {
  return locale.startsWith("zh") ? "用户" : "User"
}

/** What is reserved when a profile names only `tokens`: the defaults, but never more than a quarter of a small budget each. */
export function defaultReserve(tokens: number | undefined): { readonly answerTokens: number; readonly stepTokens: number } {
  const { answerTokens, stepTokens } = profileDefaults.budget
  if (tokens === undefined) return { answerTokens, stepTokens }
  const quarter = Math.floor(tokens / 4)
  return { answerTokens: Math.min(answerTokens, quarter), stepTokens: Math.min(stepTokens, quarter) }
}
