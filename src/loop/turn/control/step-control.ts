import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { LanguageModel, ToolChoice } from "../../../core/model/language-model.ts"
import type { Reader } from "../../../core/reader.ts"
import type { ToolCall } from "../../../core/span.ts"
import type { JsonSchema, ToolRun } from "../../../prompt/tools/tool.ts"
import type { ToolSet } from "../../../prompt/tools/tool-set.ts"
import type { Decision } from "../../../reply/decision.ts"
import type { AnswerLimit } from "../../../reply/output/answer-limit.ts"
import type { createPlainTextReader, ReplyPart } from "../../../reply/thinking.ts"

/** A turn so far, for the functions with which a caller controls its steps. */
export interface StepState {
  /** The number of the next request to the model, from 1. */
  readonly step: number
  /** The prompt of that request: `planner` for JSON decisions, `native`, `chat` or `final`. After a step: that step's prompt. */
  readonly prompt: string
  /** The tool runs so far. */
  readonly runs: readonly ToolRun[]
  /** The answer's text so far. */
  readonly text: string
  /** The names of all tools that the turn could offer. */
  readonly tools: readonly string[]
  /** The id of the model that is asked first unless `prepareStep` names another one. */
  readonly model: string
  /** Aborted with the turn. */
  readonly signal: AbortSignal
}

/** The changes of `prepareStep` for one step. */
export interface StepChange {
  /** The names of the tools that the step offers. Default: all of the turn. */
  readonly tools?: readonly string[] | undefined
  /** Asked first. The agent's models follow if it fails. */
  readonly model?: LanguageModel | undefined
  /** Wins over the turn's `toolChoice`. */
  readonly toolChoice?: ToolChoice | undefined
}

/** A value, or a promise of one. */
export type MaybePromise<T> = T | PromiseLike<T>

/** The options of a turn that control its steps. */
export interface StepControl {
  /**
   * The calls that the model may make in this turn. With `required` or `{ tool }` it must make such a call before it answers; after that
   * it chooses freely. Default `auto`.
   */
  readonly toolChoice?: ToolChoice | undefined
  /** Called after each step that ran tools. If it returns true, no further step is planned: the answer is made of what was gathered. */
  readonly stopWhen?: ((state: StepState) => MaybePromise<boolean>) | undefined
  /**
   * Called before each request to the model, also that of the final answer. Other tools, or another choice of calls, change the beginning
   * of the request, so that a provider's prompt cache holds less of it.
   */
  readonly prepareStep?: ((state: StepState) => MaybePromise<StepChange | undefined>) | undefined
  /**
   * A Standard Schema, such as zod's: the answer is a JSON value that fits it, `TurnResult.output` in place of words. History keeps its
   * text. An answer that does not fit is asked for once more; then the turn fails with `output-schema`.
   */
  readonly output?: StandardSchemaV1 | undefined
  /** Bounds of the answer's words. At one, prose is read no further, so that its usage is unknown; a JSON decision is. */
  readonly answerLimit?: AnswerLimit | undefined
}

/** An answer that must fit a schema, while it is made. It takes the model's words in place of `AnswerOutput`. */
export interface PendingOutput {
  readonly said: string
  readonly hasShown: boolean
  readonly value: unknown
  readonly jsonSchema: JsonSchema
  /** Reads the model's text in place of the reader of prose. */
  reader(options: Parameters<typeof createPlainTextReader>[0]): Reader<string, ReplyPart>
  say(delta: string): void
  part(): void
  restart(): void
  tell(prompt: string): void
  settle(again: () => Promise<unknown>): Promise<void>
}

/** A step as the caller's functions prepared it. */
export interface PreparedStep {
  /** The turn's tools without the change of this step. */
  readonly base: ToolSet
  readonly models: readonly [LanguageModel, ...LanguageModel[]]
  readonly choice: ToolChoice
  /** The sentence that asks again after a decision that does not keep to `choice`. */
  readonly broken: string | undefined
  /** True if an answer is not shown, because a call must come before it. */
  readonly mustCall: boolean
  /** The decision if it keeps to `choice`, else an unreadable one. A call beside a message is then the call that was asked for. */
  keptDecision(decision: Decision): Decision
  /** The native calls that may be run. Reports those that may not, and a call that had to be made and was not. */
  kept(calls: ToolCall[], nameOf: (native: string) => string): ToolCall[]
  /** True if the caller ends the planning here. */
  stops(): Promise<boolean>
}
