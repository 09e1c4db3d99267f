import type { ChatMessage } from "../agent/respond.ts"
import { isRecord } from "../core/json-access.ts"
import { HttpProblem } from "./http-problem.ts"

/** Reads the messages that `useChat` sends. Parts that are no text, such as the tool calls of earlier answers, are left out. Throws {@link HttpProblem}. */
export function readUiMessages({ messages }: Readonly<Record<string, unknown>>): readonly ChatMessage[] {
  if (!Array.isArray(messages)) throw new HttpProblem(400, "Expected a list of messages.", { param: "messages" })
  return messages.flatMap((message: unknown, at) => {
    const param = `messages[${at}]`
    if (!isRecord(message) || !Array.isArray(message.parts)) throw new HttpProblem(400, `${param} has no parts.`, { param })
    const { role } = message
    if (role !== "user" && role !== "assistant")
      throw new HttpProblem(400, `${param} has the role ${JSON.stringify(role)}; expected user or assistant.`, { param })
    const file = message.parts.findIndex((part: unknown) => isRecord(part) && part.type === "file")
    if (file >= 0 && role === "user")
      throw new HttpProblem(400, `${param}.parts[${file}] is a file; only text is supported.`, {
        param: `${param}.parts[${file}]`,
      })
    const texts = message.parts.flatMap((part: unknown) => (isRecord(part) && part.type === "text" ? [String(part.text)] : []))
    const content = texts.join("\n")
    return role === "assistant" && content === "" ? [] : [{ role, content }]
  })
}
