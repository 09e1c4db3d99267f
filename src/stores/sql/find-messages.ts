import type { HistoryMessage } from "../../core/history.ts"
import type { SessionKey } from "../../core/keys.ts"
import { filterMessages, type MessageFilter } from "../../services/store/session-store.ts"
import { sessionColumns } from "./key-columns.ts"
import { keyText } from "./key-text.ts"
import type { Queries } from "./tables.ts"

const pageRows = 500

/** Messages that fit a filter, oldest first. Words are compared here, page by page from the newest, as databases fold case each in its own way. */
export async function findMessages(db: Queries, key: SessionKey, filter: MessageFilter): Promise<readonly HistoryMessage[]> {
  const wanted = Math.max(0, filter.skip ?? 0) + Math.max(0, filter.limit)
  let found: readonly HistoryMessage[] = []
  let before = Number.POSITIVE_INFINITY
  while (found.length < wanted && before > 0) {
    const rows = await candidates(db, key, filter, { before, limit: Math.min(pageRows, filter.containing ? pageRows : wanted) })
    const messages = rows.map(({ body }) => JSON.parse(body) as HistoryMessage).reverse()
    found = [...filterMessages(messages, { ...filter, skip: 0, limit: Number.POSITIVE_INFINITY }), ...found]
    before = rows.at(-1)?.position ?? 0
  }
  return filterMessages(found, filter)
}

/** Newest first, by all that a database compares alike. */
async function candidates(
  db: Queries,
  key: SessionKey,
  { role, speaker, fromMs, beforeMs }: MessageFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly { readonly position: number; readonly body: string }[]> {
  let rows = db
    .selectFrom("messages")
    .select(["position", "body"])
    .where(({ and }) => and(sessionColumns(key)))
  if (Number.isFinite(before)) rows = rows.where("position", "<", before)
  if (role !== undefined) rows = rows.where("role", "=", role)
  if (fromMs !== undefined) rows = rows.where("at_ms", ">=", fromMs)
  if (beforeMs !== undefined) rows = rows.where("at_ms", "<", beforeMs)
  if (speaker !== undefined) {
    const name = keyText(speaker)
    rows = rows.where(({ or, eb }) => or([eb("speaker_id", "=", name), eb("speaker_name", "=", name)]))
  }
  return rows.orderBy("position", "desc").limit(limit).execute()
}
