import { RecallIndex } from "../../../../src/memory/services/recall/recall-index.ts"
import type { RecallDocument, RecallQuery } from "../../../../src/memory/services/recall/recall-query.ts"

export const nowMs = Date.UTC(2024, 4, 15, 12)
export const dayMs = 86_400_000

/** An ordinary memory with the given members. */
export function memory(id: string, text: string, rest: Partial<RecallDocument> = {}): RecallDocument {
  return {
    id,
    text,
    atMs: nowMs - 100 * dayMs,
    speaker: { id: "ann", name: "Ann" },
    session: id,
    turn: 0,
    importance: 5,
    ...rest,
  }
}

export function indexOf(documents: readonly RecallDocument[]): RecallIndex {
  const index = new RecallIndex()
  for (const document of documents) index.replace(document)
  return index
}

/** The ids of the hits for a query, best first. */
export function found(documents: readonly RecallDocument[], text: string, rest: Partial<RecallQuery> = {}): string[] {
  return indexOf(documents)
    .rank({ text, nowMs, limit: 10, ...rest })
    .map(({ id }) => id)
}
