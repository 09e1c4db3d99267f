import type { ExpressionBuilder } from "kysely"
import type { SessionKey } from "../../../../core/conversation.ts"
import { fromKeyText, inSession, sessionColumns } from "../key-columns.ts"
import type { SqlJobs } from "../sql-database.ts"
import type { Queries, Tables } from "../sql-tables.ts"
import { dropRecalled, forgetMemories } from "./forget-memories.ts"
import { forgetStatements } from "./sql-forget.ts"

/** Deletes everything that was drawn in the background from the turns of a session that are set aside, within a transaction. */
export async function takeBack(db: Queries, jobs: SqlJobs, key: SessionKey): Promise<void> {
  await forgetDrawn(db, key)
  const turns = await asideTurns(db, key).execute()
  // Last, as in a commit: docs/stores.md has the order of locks.
  await jobs.forgetTurns(db, key, new Set(turns.map(({ turn_id }) => fromKeyText(turn_id))))
}

function asideTurns(db: Queries, key: SessionKey) {
  return db.selectFrom("aside_messages").select("turn_id").distinct().where(inSession(key))
}

async function forgetDrawn(db: Queries, key: SessionKey): Promise<void> {
  const { agent, conversation, audience } = sessionColumns(key)
  const ofTurns = ({ and, eb }: ExpressionBuilder<Tables, "memories" | "receipts" | "statements">) =>
    and([
      eb("agent", "=", agent),
      eb("conversation", "=", conversation),
      eb("audience", "=", audience),
      eb("turn_id", "in", asideTurns(db, key)),
    ])
  await db.deleteFrom("receipts").where(ofTurns).execute()
  await forgetStatements(db, key.agent, ofTurns)
  const drawn = db
    .selectFrom("memories")
    .select(({ fn }) => fn.min("at_ms").as("at_ms"))
    .where(ofTurns)
  const sinceMs = (await drawn.executeTakeFirst())?.at_ms
  // Forgetting begins a new epoch, after which every cached session is read again: not when there is nothing to forget.
  if (sinceMs === undefined || sinceMs === null) return
  const { memories } = await forgetMemories(db, key.agent, ofTurns)
  // What was recalled before the first of these memories was said cannot be one of them.
  await dropRecalled(db, key.agent, memories, { except: key, sinceMs })
}
