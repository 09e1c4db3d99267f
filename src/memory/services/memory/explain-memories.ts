import type { ServiceKey } from "../../../core/conversation.ts"
import type { Receipt } from "../store/receipt.ts"
import type { ReceiptRecords, StoredMemory } from "../store/records.ts"
import type { Memory, MemoryRecall, MemoryService } from "./memory-service.ts"

/** A memory service that may be able to tell more of a memory, and to forget it. */
export type ExplainableMemory = MemoryRecall & Partial<Pick<MemoryService, "get" | "forget">>

/** A memory with the reasons for which it is remembered and found. */
export interface ExplainedMemory extends Memory {
  /** The memory as it is stored. Absent if the memory service cannot tell. */
  readonly stored?: StoredMemory
  /** The memories that an insight rests on. Those that the key does not see are left out. */
  readonly sources: readonly StoredMemory[]
  /** The background work that kept it: that of its turn, or of the turn in which it was judged. Empty for another user's memory. */
  readonly receipts: readonly Receipt[]
}

/** Finds the memories that answer a question, as a turn would, and tells of each who said it, what it rests on and what kept it. */
export async function explainMemories(
  { memory, receipts }: { readonly memory: ExplainableMemory; readonly receipts: Pick<ReceiptRecords, "ofTurn"> },
  question: string,
  key: ServiceKey,
  options: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly ExplainedMemory[]> {
  const found = await memory.recall(question, key, options)
  return Promise.all(
    found.map(async (each): Promise<ExplainedMemory> => {
      const stored = await memory.get?.(each.id, key)
      if (stored === undefined) return { ...each, sources: [], receipts: [] }
      const sources = await Promise.all((stored.sources ?? []).map((id) => memory.get?.(id, key)))
      const { agent, conversation, audience, user, turnId, judgedIn = turnId } = stored
      const isOwn = user === key.user
      return {
        ...each,
        stored,
        sources: sources.filter((source) => source !== undefined),
        receipts: isOwn ? await receipts.ofTurn(judgedIn, { agent, conversation, audience, user }) : [],
      }
    }),
  )
}
