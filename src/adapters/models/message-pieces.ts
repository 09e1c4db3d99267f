import { PromptStrataError } from "../../core/errors.ts"
import type { Message, MessagePart } from "../../core/span.ts"

/**
 * The messages of an assembly with the bytes of their pictures and files, by the ids of these. Throws `usage` for one that has neither
 * bytes nor a URL: it would be missing without a word.
 */
export function withGivenBytes(
  messages: readonly Message[],
  name: string,
  bytes: ReadonlyMap<string, Uint8Array> = new Map(),
): readonly Message[] {
  return messages.map((message) => {
    if (message.parts === undefined) return message
    const parts = message.parts.map((part) => {
      const { name: file, blob = "", url } = part.attachment
      const found = part.bytes ?? bytes.get(blob)
      if (found) return { ...part, bytes: found }
      if (url !== undefined) return part
      throw new PromptStrataError("usage", `${name} expected the bytes of ${JSON.stringify(file)}, which the assembly shows.`, {
        hint: `Pass { bytes: new Map([[${JSON.stringify(blob)}, …]]) }; \`attachment.blob\` of a message's part is the id in the store.`,
      })
    })
    return { ...message, parts }
  })
}

/** A text between pictures and files. `from` is its UTF-16 offset in the message. */
interface TextBetween {
  readonly text: string
  readonly from: number
}

/** A message's text and its pictures and files, in order. No text is blank, because providers refuse blank parts. */
export function piecesOf(content: string, parts: Message["parts"] = []): (TextBetween | MessagePart)[] {
  const pieces: (TextBetween | MessagePart)[] = []
  let from = 0
  const text = (end: number) => {
    const piece = content.slice(from, end).toWellFormed()
    if (piece.trim() !== "") pieces.push({ text: piece, from })
    from = end
  }
  for (const part of parts) {
    if (part.end > from) text(part.end)
    pieces.push(part)
  }
  text(content.length)
  return pieces
}

/**
 * The messages, with the pictures and files of tools and of the model in a message of the user behind them: few servers take these where
 * they were.
 */
export function withResultParts(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ role, parts }) => role !== "user" && parts)) return messages
  const made: Message[] = []
  let [content, parts] = ["", [] as MessagePart[]]
  const settle = () => {
    if (parts.length > 0) made.push({ role: "user", content, parts })
    content = ""
    parts = []
  }
  for (const message of messages) {
    if (message.role !== "tool") settle()
    for (const part of message.role === "user" ? [] : (message.parts ?? [])) {
      content += nameOf(message, part)
      parts.push({ ...part, end: content.length })
    }
    made.push(message)
  }
  settle()
  return made
}

/**
 * The line of a message of the model that names a picture or file of it. It stands before that one in a message of the user, so that nobody
 * takes it for the user's. A tool's result names none.
 */
function nameOf({ role, content }: Message, { end }: MessagePart): string {
  return role === "assistant" ? content.slice(content.lastIndexOf("\n", end - 1) + 1, end) : ""
}
