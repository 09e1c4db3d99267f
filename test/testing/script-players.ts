import { APICallError, type LanguageModelV4, type LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { MockLanguageModelV4 } from "ai/test"
import { PromptStrataError } from "../../src/core/errors.ts"
import type { ErrorEvidence } from "../../src/core/evidence/error-evidence.ts"
import type { LanguageModel, Usage } from "../../src/core/model/language-model.ts"
import { type ScriptedChunk, scriptedModel } from "../../src/testing/index.ts"
import { type ChatReply, chatChunk, eventStream, startChatServer } from "../support/chat-server.ts"
import type { PlayProvider, ProviderHappening, ProviderScene, ProviderScript } from "../support/conformance/stage.ts"

/** Plays scenes over HTTP as chat completions. */
export function playChat(makeModel: (scene: ProviderScene, baseUrl: string) => LanguageModel): PlayProvider {
  return async (scene) => {
    const server = await startChatServer(...scene.scripts.map(chatReply))
    for (let count = 1; count <= scene.scripts.length; count++)
      void server.called(count).then(() => scene.onRequest(server.calls[count - 1]?.body))
    return { model: makeModel(scene, server.baseUrl), close: () => server.close() }
  }
}

/** Formats a script as an answer of the chat completions API. */
function chatReply(script: ProviderScript): ChatReply {
  const [first] = script
  if (first?.type === "status") return statusReply(first)
  const last = script.at(-1)?.type
  const ending = last === "cut" || last === "stall" ? last : "end"
  const chunks = wholeStream(script)
  const finished = script.some(({ type }) => type === "finish")
  const stallFirst = ending === "stall" && chunks.length === 0
  return { body: eventStream(chunks, { done: finished && ending === "end" }), packetBytes: 7, ending, stallFirst }
}

function statusReply({ status, message, retryAfterMs }: Extract<ProviderHappening, { type: "status" }>): ChatReply {
  const wait = retryAfterMs === undefined ? {} : { "retry-after": String(retryAfterMs / 1_000) }
  const body = JSON.stringify({ error: { message, type: "error", code: null, param: null } })
  return { status, body, headers: { "content-type": "application/json", ...wait } }
}

const chatReasons: Readonly<Record<string, string>> = { "tool-calls": "tool_calls", "content-filter": "content_filter" }

/** The chunks of a script. The arguments of neighbouring calls alternate. */
function wholeStream(script: ProviderScript): readonly unknown[] {
  const calls = script.filter((happening) => happening.type === "tool-call")
  const head = { id: "c", created: 1, model: "m" }
  return script.flatMap((happening): readonly unknown[] => {
    switch (happening.type) {
      case "text":
        return [chatChunk({ content: happening.text })]
      case "thinking":
        return [chatChunk({ reasoning_content: happening.text })]
      case "tool-call":
        return happening === calls[0] ? callChunks(calls) : []
      case "file": {
        const url = `data:${happening.mediaType};base64,${happening.base64}`
        return [chatChunk({ images: [{ type: "image_url", image_url: { url } }] })]
      }
      case "usage":
        return [{ ...head, object: "chat.completion.chunk", choices: [], usage: chatUsage(happening.usage) }]
      case "finish":
        return [chatChunk({}, { finish_reason: chatReasons[happening.reason] ?? happening.reason })]
      default:
        return []
    }
  })
}

function callChunks(calls: readonly Extract<ProviderHappening, { type: "tool-call" }>[]): readonly unknown[] {
  const openings = calls.map(({ id, name }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: "" },
  }))
  const rounds = Math.max(...calls.map(({ args }) => args.length))
  const more = Array.from({ length: rounds }, (_, round) =>
    calls.flatMap(({ args }, index) => (args[round] === undefined ? [] : [{ index, function: { arguments: args[round] } }])),
  )
  return [...openings, ...more.flat()].map((call) => chatChunk({ tool_calls: [call] }))
}

function chatUsage(usage: Usage): unknown {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.inputCacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}

/** Plays scenes with a scripted model, which needs no provider. */
export const playScripted: PlayProvider = ({ scripts, tools, onRequest }) => {
  const steps = scripts.map((script) => (request: unknown) => {
    onRequest(visible(request, tools))
    return scriptedChunks(script)
  })
  return { model: scriptedModel(steps, { capabilities: { tools } }) }
}

/** The part of a request that a model with these capabilities would send. A scripted model keeps whole requests. */
function visible(request: unknown, tools: boolean): unknown {
  return tools ? request : { ...(request as object), tools: undefined }
}

function scriptedChunks(script: ProviderScript): readonly ScriptedChunk[] {
  const isCut = script.at(-1)?.type === "cut"
  const chunks = script.flatMap((happening): readonly ScriptedChunk[] => {
    switch (happening.type) {
      case "text":
        return [happening.text]
      case "thinking":
        return [{ type: "thinking-delta", delta: happening.text }]
      case "tool-call": {
        const { id, name, args } = happening
        return isCut ? [] : [{ type: "tool-call", call: { id, name, args: args.join("") || "{}" } }]
      }
      case "cut":
        return [failure({ isRetryable: true })]
      case "stall":
        return [{ stallUntilAborted: true }]
      case "status": {
        const { status, retryAfterMs } = happening
        return [failure({ isRetryable: status >= 500 || status === 429, status, ...(retryAfterMs && { retryAfterMs }) })]
      }
      default:
        return [happening]
    }
  })
  return chunks
}

function failure(evidence: ErrorEvidence["model"]): PromptStrataError {
  return new PromptStrataError("model", "The scripted provider failed.", { evidence })
}

/** Plays scenes with the AI SDK's mock of provider specification v4. */
export function playMockV4(makeModel: (model: LanguageModelV4, scene: ProviderScene) => LanguageModel): PlayProvider {
  return (scene) => {
    let count = 0
    const mock = new MockLanguageModelV4({
      doStream: async ({ abortSignal, ...options }) => {
        const script = scene.scripts[count++] ?? []
        scene.onRequest(options)
        const [first] = script
        if (first?.type === "status") throw apiError(first)
        return { stream: streamV4(script) }
      },
    })
    return { model: makeModel(mock, scene) }
  }
}

function apiError({ status, message, retryAfterMs }: Extract<ProviderHappening, { type: "status" }>): APICallError {
  return new APICallError({
    message,
    url: "https://provider.test/v1",
    requestBodyValues: {},
    statusCode: status,
    responseBody: JSON.stringify({ error: { message } }),
    ...(retryAfterMs !== undefined && { responseHeaders: { "retry-after": String(retryAfterMs / 1_000) } }),
  })
}

function streamV4(script: ProviderScript): ReadableStream<LanguageModelV4StreamPart> {
  const usage = script.find((happening) => happening.type === "usage")?.usage ?? {}
  const parts = script.flatMap((happening): readonly LanguageModelV4StreamPart[] => partsV4(happening, usage))
  let at = 0
  return new ReadableStream({
    pull(controller) {
      const part = parts[at++]
      if (part !== undefined) return controller.enqueue(part)
      const ending = script.at(-1)?.type
      if (ending === "stall") return new Promise(() => undefined)
      if (ending === "cut") return controller.error(new TypeError("terminated"))
      return controller.close()
    },
  })
}

function partsV4(happening: ProviderHappening, usage: Usage): readonly LanguageModelV4StreamPart[] {
  switch (happening.type) {
    case "text":
      return [{ type: "text-delta", id: "t", delta: happening.text }]
    case "thinking":
      return [{ type: "reasoning-delta", id: "r", delta: happening.text }]
    case "tool-call": {
      const { id, name, args } = happening
      const isWhole = args.length === 0 || args.at(-1)?.endsWith("}")
      return [
        { type: "tool-input-start", id, toolName: name },
        ...args.map((delta) => ({ type: "tool-input-delta" as const, id, delta })),
        ...(isWhole ? [{ type: "tool-call" as const, toolCallId: id, toolName: name, input: args.join("") }] : []),
      ]
    }
    case "file":
      return [{ type: "file", mediaType: happening.mediaType, data: { type: "data", data: happening.base64 } }]
    case "finish":
      return [{ type: "finish", usage: usageV4(usage), finishReason: { unified: happening.reason, raw: happening.reason } }]
    default:
      return []
  }
}

function usageV4({ inputTokens, inputCacheReadTokens, outputTokens, reasoningTokens }: Usage) {
  return {
    inputTokens: { total: inputTokens, noCache: undefined, cacheRead: inputCacheReadTokens, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
  }
}
