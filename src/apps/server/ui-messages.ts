import type { AttachmentInput } from "../../core/conversation.ts"
import { isRecord } from "../../core/json-access.ts"
import type { ChatMessage } from "../../loop/agent/stateless/past-messages.ts"
import { badRequest } from "./http-problem.ts"

/** Reads the messages that `useChat` sends. Other parts than texts and files, such as the tool calls of earlier answers, are left out. Throws {@link HttpProblem}. */
export function readUiMessages({ messages }: Readonly<Record<string, unknown>>): readonly ChatMessage[] {
  if (!Array.isArray(messages)) throw badRequest("Expected a list of messages.", "messages")
  return messages.flatMap((message: unknown, at): ChatMessage[] => {
    const param = `messages[${at}]`
    if (!isRecord(message) || !Array.isArray(message.parts)) throw badRequest(`${param} has no parts.`, param)
    const { role } = message
    if (role !== "user" && role !== "assistant")
      throw badRequest(`${param} has the role ${JSON.stringify(role)}; expected user or assistant.`, param)
    const texts = message.parts.flatMap((part: unknown) => (isRecord(part) && part.type === "text" ? [String(part.text)] : []))
    const content = texts.join("\n")
    const attachments = message.parts.flatMap((part: unknown, index) => fileOf(part, `${param}.parts[${index}]`))
    if (role === "assistant" && content === "" && attachments.length === 0) return []
    return [{ role, content, attachments: attachments.length > 0 ? attachments : undefined }]
  })
}

function fileOf(part: unknown, param: string): AttachmentInput[] {
  if (!isRecord(part) || part.type !== "file") return []
  const { url, mediaType, filename } = part
  if (typeof url !== "string") throw badRequest(`${param} is a file without a URL.`, param)
  return [{ url, mediaType: textIn(mediaType), name: textIn(filename) }]
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}
