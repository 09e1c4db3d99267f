import type { OpenAI } from "openai"
import type { Message, MessageRole } from "../../core/message.ts"
import type { ModelCapabilities, ModelRequest } from "../../model/language-model.ts"

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming
type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam

/** What decides the form of a request beside the request itself. */
export interface RequestForm {
  readonly model: string
  readonly capabilities: ModelCapabilities
  readonly jsonMode: boolean
  readonly includeUsage: boolean
  /** OpenAI itself has renamed `max_tokens`; compatible servers have not. */
  readonly outputLimitName: "max_tokens" | "max_completion_tokens"
}

/** A request in the form of the chat completions API. What a model cannot take is not sent. */
export function requestBody(request: ModelRequest, form: RequestForm): Body {
  const tools = form.capabilities.tools ? (request.tools ?? []) : []
  return {
    model: form.model,
    messages: request.messages.map((message) => wireMessage(message, form.capabilities)),
    stream: true,
    ...(form.includeUsage && { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function" as const,
        function: { name, description, parameters: { ...inputSchema } },
      })),
    }),
    ...(form.jsonMode && request.responseFormat === "json" && { response_format: { type: "json_object" as const } }),
    ...(request.maxOutputTokens !== undefined && { [form.outputLimitName]: request.maxOutputTokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
  }
}

/** A message in the form of the chat completions API. */
export function wireMessage(message: Message, capabilities: Pick<ModelCapabilities, "developerRole">): WireMessage {
  // Half surrogate pairs cannot be written in UTF-8; servers answer them with status 400 or worse.
  const content = message.content.toWellFormed()
  const role = wireRole(message.role, capabilities)
  if (role === "tool") return { role, content, tool_call_id: message.toolCallId ?? "" }
  if (role !== "assistant" || !message.toolCalls?.length) return { role, content }
  return {
    role,
    content,
    tool_calls: message.toolCalls.map(({ id, name, args }) => ({
      id,
      type: "function" as const,
      function: { name, arguments: args.trim() === "" ? "{}" : args.toWellFormed() },
    })),
  }
}

function wireRole(role: MessageRole, { developerRole }: Pick<ModelCapabilities, "developerRole">): MessageRole {
  return role === "developer" && !developerRole ? "system" : role
}
