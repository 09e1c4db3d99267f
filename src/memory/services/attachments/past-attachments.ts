import type { AttachmentInput, HistoryMessage, SessionKey } from "../../../core/conversation.ts"
import type { BlobRecords } from "../store/records.ts"
import { withAttachments } from "./read-attachments.ts"

/** A conversation that its caller keeps, and where the bytes of its attachments go. */
interface PastConversation {
  readonly key: SessionKey
  readonly blobs: BlobRecords
  readonly bytes: Map<string, Uint8Array>
}

/** The history with the attachments of the messages that it was made from. Throws as `withAttachments` does. */
export async function withPastAttachments(
  history: readonly HistoryMessage[],
  messages: readonly { readonly attachments?: readonly AttachmentInput[] }[],
  { key, blobs, bytes }: PastConversation,
): Promise<readonly HistoryMessage[]> {
  const { signal } = new AbortController()
  return Promise.all(
    history.map(async (message, at) => {
      const attached = messages[at]?.attachments ?? []
      if (attached.length === 0) return message
      const read = await withAttachments({ attached, key }, blobs, signal)
      for (const [id, each] of read.bytes) bytes.set(id, each)
      return { ...message, attachments: read.attachments }
    }),
  )
}
