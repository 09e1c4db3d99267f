import type { ExpressionBuilder } from "kysely"
import type { SessionKey } from "../../../../core/conversation.ts"
import { forgetReceipt, turnsBehind } from "../../../../memory/services/store/forgotten-memory.ts"
import type { ForgottenMemories, MemoryRecords, StoredMemory } from "../../../../memory/services/store/records.ts"
import { aboutUser, fromKeyText, keyText, sessionColumns } from "../key-columns.ts"
import { memoryOf } from "../memory/memory-rows.ts"
import { inScope, lockAgent } from "../memory/memory-scope.ts"
import type { SqlJobs } from "../sql-database.ts"
import { putReceipt } from "../sql-receipt-records.ts"
import { messageTables, type Queries, type Tables } from "../sql-tables.ts"
import { dropRecalled, forgetMemories } from "./forget-memories.ts"
import { forgetStatements } from "./sql-forget.ts"

/** A turn of a session. */
interface DrawnTurn {
  readonly session: SessionKey
  readonly turnId: string
}

/** Deletes memories of the key's user by id within a transaction, with all that was drawn with them. */
export async function forgetById(
  db: Queries,
  jobs: SqlJobs,
  ids: readonly string[],
  { atMs, inTurn = false, key }: Parameters<MemoryRecords["forget"]>[1],
): Promise<ForgottenMemories> {
  await lockAgent(db, key.agent)
  const named = await ownMemories(db, ids, key)
  if (named.length === 0) return { memories: 0, statements: 0 }
  const turns = await turnsOf(db, named)
  const names = named.map(({ id }) => keyText(id))
  const { memories } = await forgetMemories(db, key.agent, (eb) => {
    const byId = eb.and([eb("agent", "=", keyText(key.agent)), eb("id", "in", names)])
    return eb.or([byId, eb.and([eb("kind", "=", "dialogue"), ofTurns(turns)(eb)])])
  })
  const { statement: statements = 0 } = await forgetStatements(db, key.agent, ofTurns(turns))
  await db.deleteFrom("receipts").where(ofTurns(turns)).execute()
  await dropRecalled(db, key.agent, memories, inTurn ? { except: key } : {})
  const forgotten = { memories: memories.length, statements }
  for (const memory of named) await putReceipt(db, forgetReceipt(memory, forgotten, atMs))
  // Last, as in a commit: docs/stores.md has the order of locks.
  for (const [session, own] of Map.groupBy(turns, (turn) => JSON.stringify(sessionColumns(turn.session)))
    .values()
    .map(withSession))
    await jobs.forgetTurns(db, session, own)
  return forgotten
}

function withSession(turns: readonly DrawnTurn[]): readonly [SessionKey, ReadonlySet<string>] {
  return [(turns[0] as DrawnTurn).session, new Set(turns.map(({ turnId }) => turnId))]
}

/** The memories of these ids that the key sees and that belong to its user. */
async function ownMemories(
  db: Queries,
  ids: readonly string[],
  key: Parameters<MemoryRecords["forget"]>[1]["key"],
): Promise<readonly StoredMemory[]> {
  if (ids.length === 0) return []
  const seen = db.selectFrom("memories").select(["agent", "id", "body", "superseded_by"]).where(inScope(key))
  const rows = await seen
    .where(aboutUser(key))
    .where("id", "in", [...new Set(ids)].map(keyText))
    .orderBy("id")
    .execute()
  return rows.map(memoryOf)
}

/** The turns that memories were drawn in, and those in which their speakers said them again. */
async function turnsOf(db: Queries, memories: readonly StoredMemory[]): Promise<readonly DrawnTurn[]> {
  const turns = new Map<string, DrawnTurn>()
  const add = (session: SessionKey, turnId: string): void => {
    turns.set(JSON.stringify([sessionColumns(session), turnId]), { session, turnId })
  }
  for (const memory of memories) {
    for (const turnId of turnsBehind(memory)) add(memory, turnId)
    const { againAtMs = [], agent, audience, conversation, speaker } = memory
    if (againAtMs.length === 0) continue
    for (const table of messageTables) {
      let said = db.selectFrom(table).select(["conversation", "turn_id"]).distinct()
      said = said.where("agent", "=", keyText(agent)).where("audience", "=", audience)
      if (audience === "group") said = said.where("conversation", "=", keyText(conversation))
      said = said.where("speaker_id", "=", keyText(speaker.id)).where("at_ms", "in", [...againAtMs])
      for (const row of await said.execute())
        add({ agent, audience, conversation: fromKeyText(row.conversation) }, fromKeyText(row.turn_id))
    }
  }
  return [...turns.values()]
}

/** The condition that a row was drawn from one of these turns. */
function ofTurns(turns: readonly DrawnTurn[]) {
  return ({ and, or, eb }: ExpressionBuilder<Tables, "memories" | "receipts" | "statements">) =>
    or(
      turns.map(({ session, turnId }) => {
        const { agent, conversation, audience } = sessionColumns(session)
        return and([
          eb("agent", "=", agent),
          eb("conversation", "=", conversation),
          eb("audience", "=", audience),
          eb("turn_id", "=", keyText(turnId)),
        ])
      }),
    )
}
