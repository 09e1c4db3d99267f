import { type ChatReply, type ChatServer, chatChunk, eventStream } from "../../support/chat-server.ts"

/** What a model server says so that a character answers with these messages, one for each turn. */
export function answersOf(...messages: readonly string[]): readonly ChatReply[] {
  return messages.map((message) => ({
    body: eventStream([chatChunk({ content: JSON.stringify({ action: "finish", message }) })]),
  }))
}

/** The request that a model server got, as text. */
export function promptOf({ calls }: ChatServer, at: number): string {
  return JSON.stringify(calls[at]?.body)
}
