import { checkOptions } from "../../core/check-options.ts"
import type { PromptStrataError } from "../../core/errors.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import { errorWords } from "../../trace/error-words.ts"
import { guardLinks, withBrokenLinks } from "../../trace/guard-links.ts"
import { withSegments } from "../../trace/segments.ts"
import type { TurnEvent, TurnResult } from "../../trace/turn-event.ts"
import type { Answer } from "./exchange.ts"
import { progressData, type SegmentData, segmentData } from "./feelings.ts"

/** A piece of the AI SDK's UI message stream (version 1, of AI SDK 5 to 7). */
export type UiMessageChunk =
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" | "finish-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | ({ readonly type: "tool-input-available"; readonly toolName: string; readonly input: unknown } & OwnToolCall)
  | ({ readonly type: "tool-output-available"; readonly output: unknown } & OwnToolCall)
  | ({ readonly type: "tool-output-error"; readonly errorText: string } & OwnToolCall)
  | { readonly type: "tool-approval-request"; readonly approvalId: string; readonly toolCallId: string }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | { readonly type: "file"; readonly url: string; readonly mediaType: string }
  /** A sentence as the feelings go with it (H11), and the progress of a long tool: for `onData`, not kept in the message. */
  | { readonly type: "data-segment"; readonly data: SegmentData; readonly transient: true }
  | { readonly type: "data-tool-progress"; readonly data: ReturnType<typeof progressData>; readonly transient: true }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort" }
  | { readonly type: "finish"; readonly finishReason: "stop" | "length" | "error" }

/** A call of the character's own tool, which the page does not run. One of the page's own tools is not `providerExecuted`. */
interface OwnToolCall {
  readonly toolCallId: string
  readonly dynamic: true
  readonly providerExecuted?: true
}

/** Options of {@link toUiMessageStream}. */
export interface UiMessageStreamOptions {
  /** False leaves out the model's thoughts. Default true. */
  readonly thinking?: boolean
  /** False leaves out tool calls. Default true. */
  readonly tools?: boolean
  /** The language of the words for an error. Default `en`. */
  readonly locale?: string
}

/**
 * A turn as the AI SDK's UI message stream: text, reasoning, tool calls, questions about those that wait for a person (of AI SDK 6 on), files and errors. Links are only those of the profile's `[output] links` (T48). Every part that is opened is closed, also in a
 * turn that fails. It can be made several times, and late: each time it begins with the turn's first event.
 */
export async function* uiMessageChunks(
  turn: Answer,
  options: UiMessageStreamOptions & { readonly messageId?: string | undefined } = {},
): AsyncGenerator<UiMessageChunk> {
  const { thinking = true, tools = true, locale = "en", messageId } = options
  const parts = new OpenParts()
  yield { type: "start", messageId: messageId ?? turn.id }
  yield { type: "start-step" }
  let links: readonly string[] = []
  for await (const event of withSegments(guardLinks(turn))) {
    if (event.type === "turn-start") links = event.links ?? []
    else if (event.type === "text-delta") yield* parts.add("text", event.delta)
    else if (event.type === "thinking-delta" && thinking) yield* parts.add("reasoning", event.delta)
    else if (event.type === "attachment") {
      const { mediaType, base64 } = event.attachment
      yield* parts.end()
      yield { type: "file", mediaType, url: `data:${mediaType};base64,${base64}` }
    } else if (event.type === "segment") yield { type: "data-segment", data: segmentData(event.segment), transient: true }
    else if (event.type === "tool-progress" && tools)
      yield { type: "data-tool-progress", data: progressData(event, links), transient: true }
    else if (tools && (event.type === "tool-start" || event.type === "tool-end")) {
      yield* parts.end()
      // Only a client that answered an approval knows of refusals.
      const isRefused = messageId !== undefined && event.type === "tool-end" && event.run.failure === "denied"
      yield isRefused ? { type: "tool-output-denied", toolCallId: event.run.id } : toolChunk(event, links)
    } else if (event.type === "turn-end") {
      yield* parts.end()
      for (const { id, tool, args } of (event.result.ok && event.result.calls) || [])
        yield { type: "tool-input-available", toolCallId: id, toolName: tool, input: args, dynamic: true }
      for (const { id, callId } of (tools && event.result.ok && event.result.approvals) || [])
        yield { type: "tool-approval-request", approvalId: id, toolCallId: callId }
      yield { type: "finish-step" }
      yield* endOf(event.result, locale)
    }
  }
}

/** {@link uiMessageChunks} as a `ReadableStream`, for `createUIMessageStreamResponse` or `readUIMessageStream` of the AI SDK. */
export function toUiMessageStream(turn: Turn, options: UiMessageStreamOptions = {}): ReadableStream<UiMessageChunk> {
  checkOptions("toUiMessageStream", options, "thinking tools locale")
  return ReadableStream.from(uiMessageChunks(turn, options))
}

/** The text or reasoning that is open in a message. One is closed before another is opened. */
class OpenParts {
  #kind: "text" | "reasoning" | undefined
  #count = 0;

  *add(kind: "text" | "reasoning", delta: string): Generator<UiMessageChunk> {
    if (this.#kind !== kind) {
      yield* this.end()
      this.#kind = kind
      this.#count++
      yield { type: `${kind}-start`, id: String(this.#count) }
    }
    yield { type: `${kind}-delta`, id: String(this.#count), delta }
  }

  *end(): Generator<UiMessageChunk> {
    if (this.#kind) yield { type: `${this.#kind}-end`, id: String(this.#count) }
    this.#kind = undefined
  }
}

function toolChunk(event: TurnEvent & { readonly type: "tool-start" | "tool-end" }, links: readonly string[]): UiMessageChunk {
  // The tool is the character's own: the page shows the call and does not run it.
  const own = { dynamic: true, providerExecuted: true } as const
  if (event.type === "tool-start")
    return { type: "tool-input-available", toolCallId: event.id, toolName: event.tool, input: event.args, ...own }
  const { id: toolCallId, status, result } = event.run
  if (status === "failed") return { type: "tool-output-error", toolCallId, errorText: withBrokenLinks(result, links), ...own }
  return { type: "tool-output-available", toolCallId, output: result, ...own }
}

async function* endOf(result: TurnResult, locale: string): AsyncGenerator<UiMessageChunk> {
  if (result.ok) return yield { type: "finish", finishReason: result.stopReason === "truncated" ? "length" : "stop" }
  if (result.error.code === "aborted") return yield { type: "abort" }
  yield* failedChunks(locale, result.error)
}

/** The end of an answer that failed, or of one of which nothing is known. */
export async function* failedChunks(locale: string, error?: PromptStrataError): AsyncGenerator<UiMessageChunk> {
  yield { type: "error", errorText: errorWords(error, locale) }
  yield { type: "finish", finishReason: "error" }
}
