// Errors

export { type ErrorCode, PromptStrataError } from "./core/errors.ts"
export type { Source } from "./core/source.ts"

// Items of a prompt: keyed texts with a priority, a trust and a lifetime

export type { FitRule, Injection, Scope, SlotEntry, SlotValue, Stability, Trust, TrustedText } from "./core/value.ts"
export { priority } from "./core/value.ts"
export { composeMessages, splitSystemPrompt } from "./prompt/stack/compose-messages.ts"
export type { InjectionInput, InjectionOptions } from "./prompt/stack/injection.ts"
export { PromptStack } from "./prompt/stack/prompt-stack.ts"

// Prompt files: templates and dialects

export type { Dialect } from "./prompt/dialect/dialect.ts"
export type { PromptSource } from "./prompt/dialect/prompt-source.ts"
export { loadDialect, shippedDialect } from "./prompt/dialect/shipped.ts"
export type { Template } from "./prompt/template/ast.ts"
export { parseTemplate } from "./prompt/template/parse.ts"
export type { TemplateValues } from "./prompt/template/render.ts"
export { renderTemplate } from "./prompt/template/render-template.ts"
export { escapeTemplate } from "./prompt/template/scanner.ts"

// Profiles and layers

export type { PrestartInput, Profile, ProfileInput } from "./profile/profile.ts"
export { resolveProfile } from "./profile/resolve.ts"
export type { Skill, SkillMode } from "./prompt/layers/skills.ts"
export type { PlannerStep, RecalledMemory, TurnState } from "./prompt/layers/turn-state.ts"

// Assembling a request and counting its tokens

export { roughCounter } from "./core/ports.ts"
export type { Assembly, CutRecord, FitDecision, Prefix, PrefixMoved, Span } from "./core/span.ts"
export { type AssembleOptions, assemble } from "./prompt/assemble/assemble.ts"
export { type Assembler, createAssembler } from "./prompt/assemble/assembler.ts"
export {
  buildContextPrompt,
  buildSystemPrompt,
  type ContextBlocks,
  type SystemPromptParts,
} from "./prompt/assemble/build-prompts.ts"
export { truncateText } from "./prompt/assemble/truncate-text.ts"

// Language models

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
} from "./core/model/language-model.ts"
export type { Message, MessageRole, ToolCall } from "./core/span.ts"

// Tools

export { defineTool, type ToolDefinition } from "./prompt/tools/define-tool.ts"
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
} from "./prompt/tools/tool.ts"

// Agents, sessions and turns

export type {
  Audience,
  FileAttachment,
  HistoryMessage,
  KeptPrestart,
  ServiceKey,
  SessionKey,
  Speaker,
} from "./core/conversation.ts"
export type { PromptStrataErrorOf } from "./core/errors.ts"
export type { ErrorEvidence } from "./core/evidence/error-evidence.ts"
export type { Clock, CountedTool, IdGenerator, PieceVisitor, Ports, RandomSource, Timers, TokenCounter } from "./core/ports.ts"
export { type Agent, createAgent } from "./loop/agent/agent.ts"
export type { AgentOptions, AgentServices } from "./loop/agent/agent-options.ts"
export { type AgentToolOptions, agentTool } from "./loop/agent/child/agent-tool.ts"
export type { ChooseHints, HintSource } from "./loop/agent/child/hints.ts"
export type { AnswerDecision, AnswerRules, ReceivedWords, ReceiveResult, ShouldAnswer } from "./loop/agent/receive.ts"
export { createWakeSchedule } from "./loop/agent/schedule/create-wake-schedule.ts"
export type { QuietHours } from "./loop/agent/schedule/schedule-times.ts"
export type { WakeableSession, WakeSchedule, WakeScheduleOptions } from "./loop/agent/schedule/wake-schedule.ts"
export type { SessionAlternative, SessionMessage } from "./loop/agent/second-thoughts/session-history.ts"
export type { Session } from "./loop/agent/session.ts"
export type {
  AnswerOptions,
  ChangeOptions,
  PreviewOptions,
  ReceiveOptions,
  SendOptions,
  WakeOptions,
} from "./loop/agent/session-options.ts"
export type { ChatMessage } from "./loop/agent/stateless/past-messages.ts"
export type { RespondOptions } from "./loop/agent/stateless/respond.ts"
export type { StructuredTurn, Turn } from "./loop/agent/turn.ts"
export type { StepChange, StepControl, StepState } from "./loop/turn/control/step-control.ts"
export type { BackgroundWarning } from "./loop/turn/turn-context.ts"
export type { AnswerLimit } from "./reply/output/answer-limit.ts"
export type { TurnSegment } from "./trace/segments.ts"
export type { GatheredResult, StopReason, TurnEvent, TurnResult } from "./trace/turn-event.ts"

// Plugins, hooks and observers

export type { FileFault, FileReferences, OpenedFile } from "./memory/services/file-references.ts"
export type { ObservedEvent, ObservedInjection, ObservedResult, Observer, ObserverContext } from "./memory/services/observer.ts"
export type { Plugin } from "./memory/services/plugin.ts"
export type { AfterTurnContext, BeforeTurnContext, HookState, TurnHook } from "./memory/services/turn-hook.ts"

// Memory, user profiles, reflection, and receipts of the work behind a turn

export type { Describe, DescribedAttachment } from "./memory/services/attachments/describe.ts"
export type { AskModel, BackgroundJob, CommittedTurn, JobContext } from "./memory/services/background/background-job.ts"
export { createReflectionService } from "./memory/services/background/create-reflection-service.ts"
export type { ExtractFacts, JudgeImportance } from "./memory/services/background/memory-job-options.ts"
export type {
  Insight,
  ReflectionService,
  ReflectionServiceOptions,
  ReflectionTriggers,
} from "./memory/services/background/reflection.ts"
export { createUserProfileService } from "./memory/services/create-user-profile-service.ts"
export { createMemoryService, fuseRankings } from "./memory/services/memory/create-memory-service.ts"
export type { ExplainedMemory } from "./memory/services/memory/explain-memories.ts"
export type { RankedText } from "./memory/services/memory/fuse-rankings.ts"
export type {
  EmbeddingModel,
  Memory,
  MemoryRecall,
  MemoryService,
  MemoryServiceOptions,
  NewMemory,
  RememberResult,
  Rerank,
  RerankCandidate,
} from "./memory/services/memory/memory-service.ts"
export type { RecordedMemoryService } from "./memory/services/memory/recorded-memories.ts"
export type { RecallReason } from "./memory/services/recall/recall-query.ts"
export type { RecallSignal, RecallWeights } from "./memory/services/recall/recall-weights.ts"
export { printReceipts, type Receipt, type ReceiptOutcome } from "./memory/services/store/receipt.ts"
export type { UserProfile, UserProfileService } from "./memory/services/user-profile.ts"

// Stores

export { createInMemoryStore } from "./memory/services/store/in-memory/in-memory-store.ts"
export type {
  DeadJob,
  IdleOptions,
  Job,
  JobAttempt,
  JobHandler,
  JobHandlers,
  JobRunner,
  JobSettings,
} from "./memory/services/store/job-runner.ts"
export type {
  BlobRecords,
  ForgottenMemories,
  MemoryChanges,
  MemoryCursor,
  MemoryRecords,
  ProfileStatement,
  ReceiptRecords,
  StoredMemory,
  StoredVector,
  UserRecords,
} from "./memory/services/store/records.ts"
export type {
  MessageFilter,
  SessionCommit,
  SessionNote,
  SessionRecord,
  SessionStore,
  StoredTurn,
} from "./memory/services/store/session-store.ts"
export type { ForgetReport, Store, StoreCheck, StoredConversation, StoreScope } from "./memory/services/store/store.ts"
export type { StoreRow } from "./memory/services/store/store-row.ts"

// Traces

export type { TraceStep, TurnTrace, TurnWarning } from "./trace/trace.ts"
