export type { ProfileChange, PromptFile, PromptFiles, PromptText, SavedPrompt } from "../../../profile/prompt-files.ts"
export type { Judge, JudgeTask } from "./compare/questions/run-questions.ts"
export type { DocumentChange, InspectedDocuments } from "./documents/documents.ts"
export { type Inspector, type InspectorOptions, type InspectorServer, inspector } from "./inspector.ts"
export type { KeepOptions } from "./kept-records.ts"
export type { AgentChange, MakeVariant } from "./replay/agent-change.ts"
export type { ContextChange, NotedChanges } from "./timeline/context-changes.ts"
export type { RecordedJob } from "./timeline/recorded-jobs.ts"
export type {
  PrefixMark,
  RecordedChild,
  RecordedEvent,
  RecordedMessage,
  RecordedRequest,
  RecordedSpan,
  RequestChange,
  TokenPrice,
  TurnOutcome,
  TurnRecord,
  TurnSummary,
} from "./turn-record.ts"
