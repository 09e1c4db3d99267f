import type { HistoryMessage } from "../../../core/conversation.ts"
import type { MessageFilter } from "./session-store.ts"

/** The messages that meet a filter, oldest first: {@link SessionStore.messages} over a list. */
export function filterMessages(messages: readonly HistoryMessage[], filter: MessageFilter): readonly HistoryMessage[] {
  const [skip, limit] = [Math.max(0, filter.skip ?? 0), Math.max(0, filter.limit)]
  const fitting: HistoryMessage[] = []
  // From the newest message back, because few are asked for.
  for (let at = messages.length - 1; at >= 0 && fitting.length < skip + limit; at--) {
    const message = messages[at] as HistoryMessage
    if (fits(message, filter)) fitting.push(message)
  }
  return fitting.slice(skip).reverse()
}

function fits({ role, speaker, text, atMs }: HistoryMessage, filter: MessageFilter): boolean {
  if (filter.role !== undefined && filter.role !== role) return false
  if (filter.speaker !== undefined && filter.speaker !== speaker.id && filter.speaker !== speaker.name) return false
  if (filter.fromMs !== undefined && atMs < filter.fromMs) return false
  if (filter.beforeMs !== undefined && atMs >= filter.beforeMs) return false
  return filter.containing === undefined || text.toLowerCase().includes(filter.containing.toLowerCase())
}
