import type { SessionKey } from "../../../../core/conversation.ts"
import { tellSetAside } from "../forgetting.ts"
import type { JobRunner } from "../job-runner.ts"
import { sessionRowId } from "../row-keys.ts"
import type { SessionCommit } from "../session-store.ts"
import { dropRecalled, forgetMemories } from "./forget-rows.ts"
import type { Tables } from "./in-memory-tables.ts"
import { rowBehind } from "./session-branches.ts"

/** A commit with `after`: turns that it sets aside leave nothing behind that was drawn from them. */
export async function commitBehind(
  tables: Tables,
  key: SessionKey,
  { commit, runner }: { commit: SessionCommit; runner: JobRunner },
) {
  const { sessions } = tables
  const [row, whole, hasMoved] = rowBehind(sessions.row(key), commit)
  const committed = sessions.commit(key, whole, row)
  if (!hasMoved) return committed
  takeBack(tables, key, new Set(row.aside.map(({ turnId }) => turnId)))
  await tellSetAside(runner, key)
  return committed
}

/** Deletes everything that was drawn from turns of a session. */
function takeBack(tables: Tables, key: SessionKey, turns: ReadonlySet<string>): void {
  const session = sessionRowId(key)
  const isOfTurns = (turnId: string, of: SessionKey): boolean => turns.has(turnId) && sessionRowId(of) === session
  tables.jobs.deleteWhere((job) => isOfTurns(job.turnId, job.key))
  tables.receipts.deleteWhere((receipt) => isOfTurns(receipt.turnId, receipt.key))
  tables.users.deleteStatements((statement, { agent }) => isOfTurns(statement.turnId, { agent, ...statement }))
  const memories = forgetMemories(tables, (memory) => isOfTurns(memory.turnId, memory)).map(({ memory }) => memory)
  // What was recalled before the first of these memories was said cannot be one of them.
  dropRecalled(tables, memories, { except: key, sinceMs: Math.min(...memories.map(({ atMs }) => atMs)) })
}
