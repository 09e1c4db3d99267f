// Errors

export { type ErrorCode, PromptStrataError } from "./core/errors.ts"
export type { Source } from "./core/source.ts"

// Items of a prompt: keyed texts with a priority, a trust and a lifetime

export type { FitRule, Injection, Scope, SlotEntry, SlotValue, Stability, Trust, TrustedText } from "./core/value.ts"
export { priority } from "./core/value.ts"
export { composeMessages, splitSystemPrompt } from "./stack/compose-messages.ts"
export type { InjectionInput, InjectionOptions } from "./stack/injection.ts"
export { PromptStack } from "./stack/prompt-stack.ts"

// Prompt files: templates and dialects

export type { Dialect } from "./dialect/dialect.ts"
export type { PromptSource } from "./dialect/prompt-source.ts"
export { loadDialect, shippedDialect, shippedDialectNames } from "./dialect/shipped.ts"
export type { Template } from "./template/ast.ts"
export { type ParseOptions, parseTemplate } from "./template/parse.ts"
export type { TemplateValues } from "./template/render.ts"
export { renderTemplate } from "./template/render-template.ts"
export { escapeTemplate } from "./template/scanner.ts"

// Profiles and layers

export type { Skill, SkillMode } from "./layers/skills.ts"
export type { PlannerStep, RecalledMemory, TurnState } from "./layers/turn-state.ts"
export type { PrestartInput, Profile, ProfileInput } from "./profile/profile.ts"
export { resolveProfile } from "./profile/resolve.ts"

// Assembling a request and counting its tokens

export { type AssembleOptions, assemble } from "./assemble/assemble.ts"
export {
  buildContextPrompt,
  buildSystemPrompt,
  type ContextBlocks,
  type ContextPromptOptions,
  type SystemPromptParts,
} from "./assemble/build-prompts.ts"
export { roughCounter } from "./assemble/tokens/rough-counter.ts"
export { type TruncatedText, type TruncateOptions, truncateText } from "./assemble/truncate-text.ts"
export type { Assembly, CutRecord, FitDecision, Prefix, PrefixMoved, Span } from "./core/span.ts"

// Language models

export type { Message, MessageRole, ToolCall } from "./core/span.ts"
export type {
  FinishReason,
  LanguageModel,
  ModelCapabilities,
  ModelPart,
  ModelRequest,
  ModelTool,
  ToolChoice,
  TurnFacts,
  Usage,
} from "./model/language-model.ts"

// Readers of model output: thinking, decisions, formats, bubbles, files

export type { Reader } from "./core/reader.ts"
export { type FileReference, formatFileReference } from "./encode/file-reference.ts"
export { formatTranscript, parseTranscript, type TranscriptMessage } from "./encode/transcript.ts"
export type { Decision, DecisionEvent, DecisionFault, DecisionStatus } from "./reply/decision.ts"
export { createDecisionReader, readDecision } from "./reply/decision-reader.ts"
export { type FoundMentions, findMentions, type Mention } from "./reply/mentions.ts"
export { type BubbleReaderOptions, createBubbleReader, splitBubbles } from "./reply/output/bubble-reader.ts"
export { createFileReferenceReader } from "./reply/output/file-reference-reader.ts"
export { formats } from "./reply/output/formats.ts"
export type { FormatOptions, OutputFormat, OutputPart, OutputReader } from "./reply/output/output-part.ts"
export { createOutputReader, type OutputReaderOptions } from "./reply/output/output-reader.ts"
export { stripThinking } from "./reply/thinking.ts"

// Tools

export { defineTool, type ToolDefinition } from "./tools/define-tool.ts"
export type {
  Approval,
  ApprovalAnswer,
  Confirm,
  ConfirmRequest,
  JsonSchema,
  Tool,
  ToolAttachment,
  ToolContext,
  ToolGroup,
  ToolProgress,
  ToolRecord,
  ToolRun,
} from "./tools/tool.ts"

// Agents, sessions and turns

export { type Agent, createAgent } from "./agent/agent.ts"
export type { AgentOptions } from "./agent/agent-options.ts"
export { type AgentToolOptions, agentTool } from "./agent/child/agent-tool.ts"
export type { ChooseHints, HintSource } from "./agent/child/hints.ts"
export type { AnswerDecision, AnswerRules, Received, ReceivedWords, ShouldAnswer } from "./agent/receive.ts"
export type { AgentServices } from "./agent/remembering.ts"
export { createWakeSchedule } from "./agent/schedule/create-wake-schedule.ts"
export type { QuietHours } from "./agent/schedule/schedule-times.ts"
export type { WakeableSession, WakeSchedule, WakeScheduleOptions } from "./agent/schedule/wake-schedule.ts"
export type { HistoryOptions, SessionAlternative, SessionMessage } from "./agent/second-thoughts/session-history.ts"
export type { Session } from "./agent/session.ts"
export type {
  AnswerOptions,
  ChangeOptions,
  DirectedOptions,
  ExplainMemoriesOptions,
  ForgetMemoryOptions,
  HearOptions,
  PreviewOptions,
  ReceiveOptions,
  SendOptions,
  WakeOptions,
} from "./agent/session-options.ts"
export type { ChatMessage } from "./agent/stateless/past-messages.ts"
export type { RespondOptions } from "./agent/stateless/respond.ts"
export type { StructuredTurn, Turn } from "./agent/turn.ts"
export type {
  Audience,
  FileAttachment,
  HistoryMessage,
  KeptPrestart,
  ServiceKey,
  SessionKey,
  Speaker,
} from "./core/conversation.ts"
export type { ErrorEvidence } from "./core/error-evidence.ts"
export type { PromptStrataErrorOf } from "./core/errors.ts"
export type { Clock, CountedTool, IdGenerator, PieceVisitor, Ports, RandomSource, Timers, TokenCounter } from "./core/ports.ts"
export type { Gathered, StopReason, TurnEvent, TurnResult } from "./trace/turn-event.ts"
export type { StepChange, StepControl, StepState } from "./turn/control/step-control.ts"
export type { BackgroundWarning } from "./turn/turn-context.ts"

// Plugins, hooks and observers

export type { FileFault, FileReferences, OpenedFile } from "./services/file-references.ts"
export type { ObservedEvent, ObservedInjection, ObservedResult, Observer, ObserverContext } from "./services/observer.ts"
export type { Plugin } from "./services/plugin.ts"
export type { AfterTurnContext, BeforeTurnContext, HookState, TurnHook } from "./services/turn-hook.ts"

// Memory, user profiles, reflection, and receipts of the work behind a turn

export type { AskModel, BackgroundJob, CommittedTurn, JobContext } from "./services/background/background-job.ts"
export { createReflectionService } from "./services/background/create-reflection-service.ts"
export type {
  Insight,
  ReflectionService,
  ReflectionServiceOptions,
  ReflectionTriggers,
} from "./services/background/reflection.ts"
export { createMemoryService, fuseRankings, type RecordedMemoryService } from "./services/memory/create-memory-service.ts"
export type { ExplainedMemory } from "./services/memory/explain-memories.ts"
export type { FuseOptions, RankedText } from "./services/memory/fuse-rankings.ts"
export type {
  EmbeddingModel,
  Memory,
  MemoryRecall,
  MemoryService,
  MemoryServiceOptions,
  NewMemory,
  Remembered,
  Rerank,
  RerankCandidate,
} from "./services/memory/memory-service.ts"
export type { RecallReason } from "./services/recall/recall-query.ts"
export type { RecallSignal, RecallWeights } from "./services/recall/recall-weights.ts"
export { printReceipts, type Receipt, type ReceiptOutcome } from "./services/store/receipt.ts"
export { createUserProfileService, type UserProfile, type UserProfileService } from "./services/user-profile.ts"

// Stores

export { createInMemoryStore, type InMemoryStoreOptions } from "./services/store/in-memory/in-memory-store.ts"
export type {
  DeadJob,
  IdleOptions,
  Job,
  JobAttempt,
  JobHandler,
  JobHandlers,
  JobRunner,
  JobSettings,
} from "./services/store/job-runner.ts"
export type {
  BlobRecords,
  MemoryChanges,
  MemoryCursor,
  MemoryRecords,
  ProfileStatement,
  ReceiptRecords,
  StoredMemory,
  StoredVector,
  UserRecords,
} from "./services/store/records.ts"
export type {
  MessageFilter,
  SessionCommit,
  SessionNote,
  SessionRecord,
  SessionStore,
  StoredTurn,
} from "./services/store/session-store.ts"
export type { ForgetReport, Store, StoreCheck, StoreScope } from "./services/store/store.ts"
export type { StoreRow } from "./services/store/store-row.ts"

// Traces

export type { TraceStep, TurnTrace, TurnWarning } from "./trace/trace.ts"
