import { counted, type Receipt } from "./receipt.ts"
import type { ForgottenMemories, StoredMemory } from "./records.ts"

/** The turns that a memory of words was drawn in, beside those in which they were said again. No turn for an insight or a note. */
export function turnsBehind({ kind, turnId, judgedIn }: StoredMemory): readonly string[] {
  if (kind !== "dialogue") return []
  return judgedIn === undefined ? [turnId] : [turnId, judgedIn]
}

/** The receipt of a memory that was forgotten. It holds none of its words. */
export function forgetReceipt(memory: StoredMemory, forgotten: ForgottenMemories, atMs: number): Receipt {
  const { id, agent, conversation, audience, user, turnId } = memory
  const { memories, statements } = forgotten
  return {
    key: { agent, conversation, audience, user },
    turnId,
    kind: `forget ${id}`,
    outcome: "ok",
    attempt: 1,
    startedMs: atMs,
    durationMs: 0,
    message: `forgotten: ${counted(memories, "memory", "memories")} and ${counted(statements, "fact")} about the user`,
    value: { memories, statements },
  }
}
