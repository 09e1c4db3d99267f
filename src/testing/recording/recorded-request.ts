import type { ModelRequest } from "../../model/language-model.ts"
import { mapTexts } from "./map-texts.ts"
import type { RecordedRequest } from "./recording.ts"

/** What of a request is sent, as plain JSON data in a fixed order of properties, with its secrets taken out. */
export function recordedRequest(request: ModelRequest, redact: (text: string) => string): RecordedRequest {
  const { messages, tools, responseFormat, maxOutputTokens, temperature } = request
  const sent = {
    ...(responseFormat !== undefined && { responseFormat }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(tools !== undefined &&
      tools.length > 0 && {
        tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      }),
    messages: messages.map(({ role, content, toolCalls, toolCallId }) => ({
      role,
      ...(toolCallId !== undefined && { toolCallId }),
      content,
      ...(toolCalls !== undefined &&
        toolCalls.length > 0 && { toolCalls: toolCalls.map(({ id, name, args }) => ({ id, name, args })) }),
    })),
  }
  return mapTexts(JSON.parse(JSON.stringify(sent)), redact) as RecordedRequest
}
