import type { FileAttachment } from "../../../core/conversation.ts"
import type { Usage } from "../../../core/model/language-model.ts"
import { withSegments } from "../../../trace/segments.ts"
import type { TurnAnswer } from "../../../trace/turn-event.ts"
import type { Answer } from "../exchange.ts"
import { progressData, segmentData } from "../feelings.ts"
import { turnErrorBody } from "../turn-failure.ts"
import { questionsOf } from "../waiting-calls.ts"

/** The facts that every object of an answer repeats. */
export interface AnswerFacts {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
  /** The hosts of the profile's `[output] links`, for questions. */
  readonly links?: readonly string[] | undefined
}

/** The answer as one object. */
export function completion(
  { id, created, model, links }: AnswerFacts,
  result: TurnAnswer,
  { locale, thoughts = "" }: { readonly locale: string; readonly thoughts?: string },
) {
  const { text, usage, attachments = [] } = result
  const { content = "", ...questions } = askedIn(result, { locale, links }) ?? {}
  const toolCalls = callsIn(result)
  const message = {
    role: "assistant",
    tool_calls: toolCalls,
    content: text + content,
    refusal: null,
    ...questions,
    reasoning_content: thoughts === "" ? undefined : thoughts,
    ...mediaOf(attachments),
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(result) }
  return { id, object: "chat.completion", created, model, choices: [choice], usage: usageOf(usage) }
}

/** The calls of the client's tools. Undefined if there are none. */
function callsIn({ calls }: TurnAnswer) {
  return calls?.map(({ id, tool, args }, index) => ({
    ...{ index, id, type: "function", function: { name: tool, arguments: JSON.stringify(args) } },
  }))
}

/** The questions about calls that wait: as words behind the answer, and as data. Undefined if none waits. */
export function askedIn(result: TurnAnswer, { locale, links }: { readonly locale: string } & Pick<AnswerFacts, "links">) {
  const approvals = questionsOf(result, locale, links)
  const words = approvals.map(({ text }) => text)
  return approvals.length > 0 ? { content: [...(result.text === "" ? [] : [""]), ...words].join("\n\n"), approvals } : undefined
}

/** Files of an answer as other servers of this API give them: pictures as `images`, and the rest as parts that a request could have. */
export function mediaOf(attachments: readonly FileAttachment[], imagesBefore = 0): object {
  const images: object[] = []
  const files: object[] = []
  for (const { path, mediaType, base64 } of attachments) {
    const url = `data:${mediaType};base64,${base64}`
    if (mediaType.startsWith("image/"))
      images.push({ index: imagesBefore + images.length, type: "image_url", image_url: { url } })
    else files.push({ type: "file", file: { filename: path, file_data: url } })
  }
  return { images: images.length > 0 ? images : undefined, files: files.length > 0 ? files : undefined }
}

/** The answer as the chunks of a stream. A failed turn ends it with an object `error`, which clients throw. */
export async function* completionChunks(
  { id, created, model, links }: AnswerFacts,
  turn: Answer,
  { includeUsage, locale }: { readonly includeUsage: boolean; readonly locale: string },
): AsyncGenerator<object> {
  const chunk = (delta: object, finish: string | null = null) => ({
    ...{ id, object: "chat.completion.chunk", created, model },
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: includeUsage ? null : undefined,
  })
  let images = 0
  yield chunk({ role: "assistant", content: "" })
  for await (const event of withSegments(turn)) {
    if (event.type === "segment") yield chunk({ segment: segmentData(event.segment) })
    if (event.type === "tool-progress") yield chunk({ tool_progress: progressData(event) })
    if (event.type === "text-delta") yield chunk({ content: event.delta })
    if (event.type === "thinking-delta") yield chunk({ reasoning_content: event.delta })
    if (event.type === "attachment") {
      yield chunk(mediaOf([event.attachment], images))
      if (event.attachment.mediaType.startsWith("image/")) images++
    }
    if (event.type !== "turn-end") continue
    const { result } = event
    if (!result.ok) {
      yield turnErrorBody(result.error, locale)
      return
    }
    const asked = askedIn(result, { locale, links })
    if (asked) yield chunk(asked)
    if (result.calls) yield chunk({ tool_calls: callsIn(result) })
    yield chunk({}, finishReason(result))
    if (includeUsage) yield { id, object: "chat.completion.chunk", created, model, choices: [], usage: usageOf(result.usage) }
  }
}

export function finishReason({ stopReason, trace, calls }: TurnAnswer): string {
  if (calls) return "tool_calls"
  if (trace.steps.at(-1)?.finishReason === "content-filter") return "content_filter"
  return stopReason === "truncated" ? "length" : "stop"
}

/** The tokens of all requests of the turn. What a provider did not report counts as 0. */
export function usageOf({ inputTokens = 0, outputTokens = 0, inputCacheReadTokens, reasoningTokens }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: inputCacheReadTokens === undefined ? undefined : { cached_tokens: inputCacheReadTokens },
    completion_tokens_details: reasoningTokens === undefined ? undefined : { reasoning_tokens: reasoningTokens },
  }
}
