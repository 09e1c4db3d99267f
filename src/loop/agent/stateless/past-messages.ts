import type { AttachmentInput, CallResult, HistoryMessage } from "../../../core/conversation.ts"
import { type PastConversation, withPastAttachments } from "../../../memory/services/attachments/read-attachments.ts"
import type { SendOptions } from "../session-options.ts"

export { filterMessages } from "../../../memory/services/store/session-store.ts"

/** One message of a conversation that the caller keeps. */
export interface ChatMessage {
  readonly role: "user" | "assistant"
  readonly content: string
  /** The speaker of a user's message. Default: the name of the profile's user. */
  readonly name?: string | undefined
  /** As in {@link SendOptions.attachments}, with bytes and URLs. */
  readonly attachments?: readonly AttachmentInput[] | undefined
  /** When it was said, in milliseconds since 1970. Default: now. */
  readonly atMs?: number
  /** On a user's message: the tools that ran for its answer, in their order. The turn goes on behind those of the last message. */
  readonly runs?: readonly ChatRun[] | undefined
}

/** A tool's run in a conversation that the caller keeps. */
export interface ChatRun extends CallResult {
  /** The id of the call. */
  readonly id: string
}

/** The conversation in which messages of a caller stand. */
interface SentHistory extends PastConversation {
  /** The user, whose name a message may replace. */
  readonly speaker: HistoryMessage["speaker"]
  readonly agentName: string
  /** The moment at which a message without a time was said. */
  readonly nowMs: number
}

/** The messages before the last one, as history, with their attachments. */
export async function pastMessages(messages: readonly ChatMessage[], past: SentHistory): Promise<readonly HistoryMessage[]> {
  const { key, speaker, agentName, nowMs } = past
  const history = messages.slice(0, -1).map(
    ({ role, content, name, atMs = nowMs, runs }, at): HistoryMessage => ({
      role,
      text: content.toWellFormed(),
      speaker: role === "assistant" ? { id: key.agent, name: agentName } : { ...speaker, name: name ?? speaker.name },
      turnId: `${key.conversation}:${at}`,
      atMs,
      runs: runs?.map((run, step) => ({ ...run, result: run.result.toWellFormed(), step })),
    }),
  )
  if (!messages.some(({ attachments }) => attachments)) return history
  return withPastAttachments(history, messages, past)
}
