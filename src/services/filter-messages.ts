import type { HistoryMessage } from "../core/history.ts"
import type { MessageFilter } from "./session-store.ts"

/** The messages that meet every criterion of a filter: the newest so many, oldest first. What a store may do in its own language. */
export function filterMessages(messages: readonly HistoryMessage[], filter: MessageFilter): readonly HistoryMessage[] {
  const { skip = 0, limit } = filter
  const fitting = messages.filter((message) => fits(message, filter))
  const end = Math.max(0, fitting.length - Math.max(0, skip))
  return fitting.slice(Math.max(0, end - Math.max(0, limit)), end)
}

function fits({ role, speaker, text, atMs }: HistoryMessage, filter: MessageFilter): boolean {
  if (filter.role !== undefined && filter.role !== role) return false
  if (filter.speaker !== undefined && filter.speaker !== speaker.id && filter.speaker !== speaker.name) return false
  if (filter.fromMs !== undefined && atMs < filter.fromMs) return false
  if (filter.beforeMs !== undefined && atMs >= filter.beforeMs) return false
  return filter.containing === undefined || text.toLowerCase().includes(filter.containing.toLowerCase())
}
