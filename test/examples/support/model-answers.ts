import { type ChatReply, type ChatServer, chatChunk, eventStream } from "../../support/chat-server.ts"

/** What a model server says so that a character answers with these messages, one for each turn. */
export function answersOf(...messages: readonly string[]): readonly ChatReply[] {
  return messages.map((message) => decision({ action: "finish", message }))
}

/** What a model server says so that a character calls the tool of {@link homeWithPay}. */
export const payment = decision({ action: "tool", tool: "pay", args: {} })

/** What a model server says so that a character makes this decision. */
export function decision(said: object): ChatReply {
  return { body: eventStream([chatChunk({ content: JSON.stringify(said) })]) }
}

/** The request that a model server got, as text. */
export function promptOf({ calls }: ChatServer, at: number): string {
  return JSON.stringify(calls[at]?.body)
}
