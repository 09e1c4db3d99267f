import type { Message, ToolCall } from "../core/message.ts"
import type { Assembly } from "../core/span.ts"

/** What a model can take; decides what is sent to it. */
export interface ModelCapabilities {
  /** True when the model has a `developer` role; else such text folds into `system`. */
  readonly developerRole: boolean
  /** False when only one system message may stand in a request: later ones are joined to the first. Default true. */
  readonly severalSystemMessages?: boolean
  /** True when the model calls tools natively. */
  readonly tools: boolean
  /** True when its text begins inside a thought that only a closing tag ends (T22). */
  readonly opensInThought?: boolean
}

/** A tool as a model sees it in a native request. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** What the turn knows, as data, for models that are code rather than networks. Never sent anywhere. */
export interface TurnFacts {
  /** The prompt file the request was made from: `planner`, `final`. */
  readonly prompt: string
  /** True where no turn made the request, but work beside one. */
  readonly background?: true
  readonly question: string
  /** The name of who asked. */
  readonly speaker: string
  /** The tools the request offers; none in a final output. */
  readonly tools: readonly ModelTool[]
  /** The tool runs of this turn so far. */
  readonly runs: readonly { readonly tool: string; readonly args: unknown; readonly result: string; readonly failed: boolean }[]
  readonly prestart: readonly { readonly tool: string; readonly result: string }[]
  readonly memories: readonly string[]
}

/** One request. `assembly` is where the messages came from: adapters put cache breakpoints at its prefixes. */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly assembly?: Assembly
  readonly tools?: readonly ModelTool[]
  /** `json` asks the provider for a JSON object where it can be asked. */
  readonly responseFormat?: "json" | "text"
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly facts?: TurnFacts
}

/**
 * Any model behind one method. `stream` yields parts as they come and ends after `finish`; it throws a
 * {@link PromptStrataError} with code `model` when the provider fails, and stops promptly when `signal` aborts.
 */
export interface LanguageModel {
  /** Shown in traces, such as `openai:gpt-5-mini`. */
  readonly id: string
  readonly capabilities: ModelCapabilities
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelPart>
}

/** Why a model stopped. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "other"

/** One piece of a model's stream. */
export type ModelPart =
  | { readonly type: "text-delta"; readonly delta: string }
  | { readonly type: "thinking-delta"; readonly delta: string }
  | { readonly type: "tool-call"; readonly call: ToolCall }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "finish"; readonly reason: FinishReason }

/** Tokens as the provider reports them. Absent is absent, not zero. */
export interface Usage {
  readonly inputTokens?: number
  readonly inputCacheReadTokens?: number
  readonly inputCacheWriteTokens?: number
  readonly outputTokens?: number
  readonly reasoningTokens?: number
}

/** The sum, field by field; a field absent on both sides stays absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: number } = {}
  for (const key of usageKeys) {
    const left = a[key]
    const right = b[key]
    if (left !== undefined || right !== undefined) sum[key] = (left ?? 0) + (right ?? 0)
  }
  return sum
}

const usageKeys = ["inputTokens", "inputCacheReadTokens", "inputCacheWriteTokens", "outputTokens", "reasoningTokens"] as const
