import type { SessionKey } from "../../../../core/conversation.ts"
import { forgetReceipt, turnsBehind } from "../forgotten-memory.ts"
import type { ForgottenMemories, MemoryRecords, StoredMemory } from "../records.ts"
import { ownerOf, rowId, scopeOf, scopesOf, sessionRowId } from "../row-keys.ts"
import { dropRecalled, forgetMemories } from "./forget-rows.ts"
import type { Tables } from "./in-memory-tables.ts"
import { writtenOf } from "./session-branches.ts"

/** Deletes memories of the key's user by id, with all that was drawn with them. */
export function forgetById(
  tables: Tables,
  ids: readonly string[],
  { atMs, inTurn = false, key }: Parameters<MemoryRecords["forget"]>[1],
): ForgottenMemories {
  const wanted = new Set(ids)
  const isOwn = (memory: StoredMemory): boolean =>
    memory.agent === key.agent && memory.user === key.user && scopesOf(memory).includes(scopeOf(key))
  const named = tables.memories.rows().flatMap(({ memory }) => (wanted.has(memory.id) && isOwn(memory) ? [memory] : []))
  if (named.length === 0) return { memories: 0, statements: 0 }
  const turns = turnsOf(tables, named)
  const isOfTurns = (turnId: string, of: SessionKey): boolean => turns.has(rowId(sessionRowId(of), turnId))
  tables.jobs.deleteWhere((job) => isOfTurns(job.turnId, job.key))
  tables.receipts.deleteWhere((receipt) => isOfTurns(receipt.turnId, receipt.key))
  const statements = tables.users.deleteStatements((statement, { agent }) => isOfTurns(statement.turnId, { agent, ...statement }))
  const names = new Set(named.map(({ id }) => id))
  const gone = forgetMemories(tables, (memory) => {
    if (memory.agent !== key.agent) return false
    return names.has(memory.id) || (memory.kind === "dialogue" && isOfTurns(memory.turnId, memory))
  }).map(({ memory }) => memory)
  dropRecalled(tables, gone, inTurn ? { except: key } : {})
  const forgotten = { memories: gone.length, statements }
  for (const memory of named) void tables.receipts.put(forgetReceipt(memory, forgotten, atMs))
  return forgotten
}

/** The turns that memories were drawn in, and those in which their speakers said them again, as session and turn. */
function turnsOf({ sessions }: Tables, memories: readonly StoredMemory[]): ReadonlySet<string> {
  const turns = new Set(memories.flatMap((memory) => turnsBehind(memory).map((turn) => rowId(sessionRowId(memory), turn))))
  for (const memory of memories) {
    const { againAtMs = [], speaker, user } = memory
    if (againAtMs.length === 0) continue
    for (const row of sessions.rows()) {
      if (ownerOf({ ...memory, ...row.key, user }) !== ownerOf(memory)) continue
      for (const { message, turnId } of writtenOf(row))
        if (message.speaker.id === speaker.id && againAtMs.includes(message.atMs)) turns.add(rowId(sessionRowId(row.key), turnId))
    }
  }
  return turns
}
