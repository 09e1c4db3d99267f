import type { AttachmentInput } from "../../core/conversation.ts"
import { isRecord, recordOf, stringOf } from "../../core/json-access.ts"
import type { ChatRun } from "../../loop/agent/stateless/past-messages.ts"
import { badRequest } from "./http-problem.ts"
import { conversationOf, type ReadMessage, type SentConversation } from "./requests/read-messages.ts"

/** Reads the messages that `useChat` sends: texts, files, and the calls of tools with their results. Throws {@link HttpProblem}. */
export function readUiMessages({ messages }: Readonly<Record<string, unknown>>): SentConversation {
  if (!Array.isArray(messages)) throw badRequest("Expected a list of messages.", "messages")
  return conversationOf(messages.flatMap((message: unknown, at) => readMessage(message, at, at === messages.length - 1)))
}

function readMessage(message: unknown, at: number, isLast: boolean): readonly ReadMessage[] {
  const param = `messages[${at}]`
  if (!isRecord(message) || !Array.isArray(message.parts)) throw badRequest(`${param} has no parts.`, param)
  const { role } = message
  if (role !== "user" && role !== "assistant")
    throw badRequest(`${param} has the role ${JSON.stringify(role)}; expected user or assistant.`, param)
  const parts: readonly unknown[] = message.parts
  const texts = parts.flatMap((part) => (isRecord(part) && part.type === "text" ? [String(part.text)] : []))
  const attachments = parts.flatMap((part, index) => fileOf(part, `${param}.parts[${index}]`))
  if (role === "user") return [{ role, content: texts.join("\n"), attachments }]
  const runs = runsOf(parts)
  const results = runs.map(({ id, result }): ReadMessage => ({ role: "tool", content: result, attachments: [], answers: id }))
  const said: ReadMessage = { role, content: texts.join("\n"), attachments, calls: runs }
  // The page ran them, and wants the answer to go on.
  return isLast && pageResults(message).length > 0 ? [said, ...results] : [...results, said]
}

/** The results of tools that the page ran in the last step of a message. */
export function pageResults(message: unknown): readonly ChatRun[] {
  const { role, parts } = recordOf(message)
  if (role !== "assistant" || !Array.isArray(parts)) return []
  const step = parts.slice(parts.findLastIndex((part) => isRecord(part) && part.type === "step-start") + 1)
  return runsOf(step.filter((part) => isRecord(part) && part.providerExecuted !== true))
}

function runsOf(parts: readonly unknown[]): readonly ChatRun[] {
  return parts.filter(isRecord).flatMap(({ type, toolName, toolCallId, state, input, output, errorText }) => {
    const [, named = ""] = /^tool-(.+)$/su.exec(stringOf(type)) ?? []
    const tool = type === "dynamic-tool" ? stringOf(toolName) : named
    if (tool === "" || (state !== "output-available" && state !== "output-error")) return []
    const result = state === "output-error" ? errorText : output
    const text = typeof result === "string" ? result : (JSON.stringify(result) ?? "")
    return [{ id: stringOf(toolCallId), tool, args: recordOf(input), result: text }]
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
