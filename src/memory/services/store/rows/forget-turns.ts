import type { SessionKey } from "../../../../core/conversation.ts"
import { frozenJson } from "../frozen-json.ts"
import { counted, type Receipt } from "../receipt.ts"
import type { ForgottenMemories, MemoryRecords, StoredMemory } from "../records.ts"
import { dropRecalled, forgetMemories } from "./forget-memories.ts"
import { forgetStatements } from "./forget-rows.ts"
import { memoryColumns, memoryOf } from "./memory-records.ts"
import { lockAgent, scopeOfKey } from "./memory-scopes.ts"
import { putReceipts } from "./receipt-records.ts"
import { messageTables, sessionOf, sessionRowId, userOf } from "./row-tables.ts"
import { inPages, type Rows, valuesOf } from "./rows.ts"

/** Turns of a session. */
interface DrawnTurns {
  readonly session: SessionKey
  readonly turnIds: Set<string>
}

/** Deletes memories of the key's user by id within a transaction, with all that was drawn with them. */
export async function forgetById(
  rows: Rows,
  ids: readonly string[],
  { atMs, inTurn = false, key }: Parameters<MemoryRecords["forget"]>[1],
): Promise<ForgottenMemories> {
  await lockAgent(rows, key.agent)
  const named: StoredMemory[] = []
  for (const page of inPages(new Set(ids))) {
    const own = { ...scopeOfKey(key).memories, ...userOf(key), id: { in: page } }
    named.push(...(await rows.select("memories", own, { columns: memoryColumns, order: ["id"] })).map(memoryOf))
  }
  if (named.length === 0) return { memories: 0, statements: 0 }
  const turns = await turnsOf(rows, named)
  const ofTurns = turns.flatMap(({ session, turnIds }) =>
    [...inPages(turnIds)].map((page) => ({ ...sessionOf(session), turn_id: { in: page } })),
  )
  const { memories } = await forgetMemories(rows, key.agent, [
    ...[...inPages(named.map(({ id }) => id))].map((page) => ({ agent: key.agent, id: { in: page } })),
    ...ofTurns.map((where) => ({ ...where, kind: "dialogue" as const })),
  ])
  const statements = await forgetStatements(rows, ofTurns)
  if (ofTurns.length > 0) await rows.delete("receipts", ofTurns)
  await dropRecalled(rows, key.agent, memories, inTurn ? { except: key } : {})
  const forgotten = { memories: memories.length, statements }
  for (const memory of named) await putReceipts(rows, [frozenJson(forgetReceipt(memory, forgotten, atMs), "receipt")])
  // Last, as in a commit: docs/stores.md has the order of locks.
  for (const { session, turnIds } of turns) await rows.jobs.forgetTurns(session, turnIds)
  return forgotten
}

/** The turns that memories were drawn in, and those in which their speakers said them again. */
async function turnsOf(rows: Rows, memories: readonly StoredMemory[]): Promise<readonly DrawnTurns[]> {
  const turns = new Map<string, DrawnTurns>()
  const add = (key: SessionKey, turnId: string): void => {
    const drawn = turns.get(sessionRowId(key)) ?? { session: sessionOf(key), turnIds: new Set() }
    drawn.turnIds.add(turnId)
    turns.set(sessionRowId(key), drawn)
  }
  for (const memory of memories) {
    for (const turnId of turnsBehind(memory)) add(memory, turnId)
    const { againAtMs = [], agent, audience, speaker } = memory
    const conversation = audience === "group" ? memory.conversation : undefined
    const said = { agent, audience, conversation, speaker_id: speaker.id, at_ms: { in: againAtMs } }
    for (const table of againAtMs.length === 0 ? [] : messageTables)
      for (const row of await rows.select(table, said, { columns: ["conversation", "turn_id"], isDistinct: true }))
        add({ agent, audience, conversation: row.conversation }, row.turn_id)
  }
  return [...turns.values()]
}

/** Deletes everything that was drawn in the background from the turns of a session that are set aside, within a transaction. */
export async function takeBack(rows: Rows, key: SessionKey): Promise<void> {
  const { agent } = key
  const ofTurns = [{ ...sessionOf(key), turn_id: { within: valuesOf("aside_messages", "turn_id", sessionOf(key)) } }]
  await rows.delete("receipts", ofTurns)
  await forgetStatements(rows, ofTurns)
  const oldest = { columns: ["at_ms"], order: ["at_ms"], limit: 1 } as const
  const [drawn] = await rows.select("memories", ofTurns, oldest)
  // Forgetting begins a new epoch, after which every cached session is read again: not when there is nothing to forget.
  if (drawn) {
    const { memories } = await forgetMemories(rows, agent, ofTurns)
    // What was recalled before the first of these memories was said cannot be one of them.
    await dropRecalled(rows, agent, memories, { except: key, sinceMs: drawn.at_ms })
  }
  const turns = await rows.select("aside_messages", sessionOf(key), { columns: ["turn_id"], isDistinct: true })
  // Last, as in a commit: docs/stores.md has the order of locks.
  await rows.jobs.forgetTurns(key, new Set(turns.map(({ turn_id }) => turn_id)))
}

/** The turns that a memory of words was drawn in, beside those in which they were said again. No turn for an insight or a note. */
function turnsBehind({ kind, turnId, judgedIn }: StoredMemory): readonly string[] {
  if (kind !== "dialogue") return []
  return judgedIn === undefined ? [turnId] : [turnId, judgedIn]
}

/** The receipt of a memory that was forgotten. It holds none of its words. */
function forgetReceipt(memory: StoredMemory, forgotten: ForgottenMemories, atMs: number): Receipt {
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
