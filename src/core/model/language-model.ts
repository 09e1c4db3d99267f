import { messageOf, PromptStrataError, type PromptStrataErrorOf } from "../errors.ts"
import { countOf } from "../json-access.ts"
import type { Assembly, Message, ToolCall } from "../span.ts"

/** The features of a model. They decide what is sent to it. */
export interface ModelCapabilities {
  /** True if the model has a `developer` role; else such text goes to the system message. */
  readonly developerRole: boolean
  /** False if a request may have only one system message: later ones are joined to the first. Default true. */
  readonly severalSystemMessages?: boolean
  /** True if the model calls tools natively. */
  readonly tools: boolean
  /** True if the model keeps to a JSON Schema as `responseFormat`, so that the prompt need not show it. Default: unknown. */
  readonly jsonSchema?: boolean
  /** True if the model keeps to JSON with `json` as `responseFormat`. Default: unknown. */
  readonly jsonMode?: boolean
  /**
   * The media types of the pictures, recordings and files that it takes beside text, such as `image/png` or `image/*`. Prompts name
   * others in a line of text. Default: none.
   */
  readonly attachments?: readonly string[]
  /** Of these, the media types of which it takes a URL, because its provider fetches that. Default: none. */
  readonly attachmentUrls?: readonly string[]
  /** About the tokens that its provider counts for a picture of this size, in pixels. */
  readonly pictureTokens?: (width: number, height: number) => number
  /** True if its text begins inside a thought, without an opening tag, until the closing tag (T22). */
  readonly opensInThought?: boolean
}

/** The kinds of pictures that providers take, and whose bytes are checked before they are sent. */
export const pictureTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

/** True if a media type is among the given ones, of which `image/*` stands for all kinds of pictures. */
export function takesMedia(types: readonly string[], mediaType: string): boolean {
  return types.includes(mediaType) || types.includes(`${mediaType.slice(0, mediaType.indexOf("/"))}/*`) || types.includes("*/*")
}

/** A tool as a model sees it in a native request. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** The calls that a model may make: as it likes, none, at least one, or first of all this tool. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string }

/** Facts of the turn as data, for models that are code and not networks. They are never sent anywhere. */
export interface TurnFacts {
  /** The prompt file of the request: `planner`, `final`. */
  readonly prompt: string
  /** True if background work made the request, and not a turn. */
  readonly background?: true
  readonly question: string
  /** True if nobody asked and the question is the reason why the agent begins by itself. */
  readonly wake?: true | undefined
  /** The name of the person who asked. */
  readonly speaker: string
  /** The tools that the request offers; none for a final output. */
  readonly tools: readonly ModelTool[]
  /** The tool runs of this turn so far. */
  readonly runs: readonly { readonly tool: string; readonly args: unknown; readonly result: string; readonly failed: boolean }[]
  readonly prestart: readonly { readonly tool: string; readonly result: string }[]
  readonly memories: readonly string[]
}

/** One request. `assembly` is the source of the messages; adapters put cache breakpoints at the ends of its prefixes. */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly assembly?: Assembly
  readonly tools?: readonly ModelTool[]
  /** The calls that the model may make natively. Default `auto`. A tool is named as in `tools`. */
  readonly toolChoice?: ToolChoice
  /** `json` asks the provider for a JSON object, and a schema for JSON that fits it, if it supports that. */
  readonly responseFormat?: "json" | "text" | { readonly schema: Readonly<Record<string, unknown>> }
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly facts?: TurnFacts
}

/**
 * Any model, behind one method. `stream` yields parts as they arrive and ends after `finish`. It throws a
 * {@link PromptStrataError} with code `model` if the provider fails, and stops promptly when `signal` aborts. Of any other error
 * it throws, `isRetryable` or `status` says if a turn tries again; an error with neither is tried again.
 */
export interface LanguageModel {
  /** The name for traces, such as `openai:gpt-5-mini`. */
  readonly id: string
  readonly capabilities: ModelCapabilities
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelPart>
}

/** The reason why a model stopped. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "other"

/** True if the model ended by itself. Any other answer may lack its end: at a limit, by a filter, or for no reason that was given. */
export function endedWhole(reason: FinishReason | undefined): boolean {
  return reason === "stop" || reason === "tool-calls"
}

/** One piece of a model's stream. */
export type ModelPart =
  | { readonly type: "text-delta"; readonly delta: string }
  | { readonly type: "thinking-delta"; readonly delta: string }
  | { readonly type: "tool-call"; readonly call: ToolCall }
  /** A picture, a recording or another file that the model made, whole. It belongs to the answer. */
  | { readonly type: "file"; readonly mediaType: string; readonly base64: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "report"; readonly report: ModelReport }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "finish"; readonly reason: FinishReason }

/** The words of a provider about its answer, beside tokens. */
export interface ModelReport {
  /** The model that answered, if its name is another than that of the request. */
  readonly model?: string
  readonly serviceTier?: string
  /** The addresses that the answer cites, each once. */
  readonly citations?: readonly string[]
}

/** Tokens as the provider reports them. An absent field means unknown, not zero. */
export interface Usage {
  readonly inputTokens?: number
  readonly inputCacheReadTokens?: number
  readonly inputCacheWriteTokens?: number
  readonly outputTokens?: number
  readonly reasoningTokens?: number
  /** The price of the request in US dollars, where the provider tells it (OpenRouter). */
  readonly costUsd?: number
}

/** Adds usage, field by field. A field that both lack stays absent; what is no count is taken for unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: number } = {}
  for (const key of usageKeys) {
    // An adapter without types may hand over anything.
    const left = countOf(a[key])
    const right = countOf(b[key])
    if (left !== undefined || right !== undefined) sum[key] = (left ?? 0) + (right ?? 0)
  }
  return sum
}

const tokenKeys = ["inputTokens", "inputCacheReadTokens", "inputCacheWriteTokens", "outputTokens", "reasoningTokens"] as const
const usageKeys = [...tokenKeys, "costUsd"] as const

/** The error that a model throws when its signal aborts: code `aborted`, with the signal's reason as `cause`. */
export function abortedError(signal: AbortSignal): PromptStrataErrorOf<"aborted"> {
  const reason: unknown = signal.reason
  const why = reason === undefined ? "" : `: ${messageOf(reason)}`
  return new PromptStrataError("aborted", `The model's request was aborted${why}.`, { cause: reason })
}
