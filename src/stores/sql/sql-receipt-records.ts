import type { ServiceKey } from "../../core/conversation.ts"
import { frozenJson } from "../../services/store/frozen-json.ts"
import type { Receipt } from "../../services/store/receipt.ts"
import type { ReceiptRecords } from "../../services/store/records.ts"
import { aboutUser, inSession, keyText, sessionColumns, userColumns } from "./key-columns.ts"
import { lockAgent } from "./memory/memory-scope.ts"
import { bodyText, readBody } from "./row-body.ts"
import { expectTurn } from "./session/read-session.ts"
import type { SqlDatabase } from "./sql-database.ts"
import type { Queries } from "./sql-tables.ts"

const finalOutcomes = ["ok", "empty", "skipped"]

/** Receipts in a database. */
export function createSqlReceiptRecords({ read, write }: SqlDatabase): ReceiptRecords {
  return {
    put: (receipt, { ofTurn = false } = {}) =>
      write(async (db) => {
        if (ofTurn) {
          await lockAgent(db, receipt.key.agent)
          await expectTurn(db, receipt.key, receipt.turnId)
        }
        await putReceipt(db, receipt)
      }),
    ofTurn: (turnId, key) => read((db) => receiptsOfTurn(db, turnId, key)),
    modelCalls: (key, sinceMs) => read((db) => modelCalls(db, key, sinceMs)),
  }
}

/** Adds a receipt within a transaction, or replaces the one of its turn and kind unless that is final. */
export async function putReceipt(db: Queries, receipt: Receipt): Promise<void> {
  const { key, turnId, outcome, attempt, startedMs, model } = receipt
  const ofTurn = db.selectFrom("receipts").select("position").where(inSession(key)).where("turn_id", "=", keyText(turnId))
  const last = await ofTurn.orderBy("position", "desc").limit(1).executeTakeFirst()
  const changing = {
    outcome,
    attempt,
    started_ms: startedMs,
    model: model === undefined ? null : keyText(model),
    body: bodyText(frozenJson(receipt, "receipt")),
  }
  await db
    .insertInto("receipts")
    .values({ ...receiptColumns(receipt), ...userColumns(key), position: (last?.position ?? -1) + 1, ...changing })
    .onConflict((conflict) =>
      conflict
        .columns(["agent", "conversation", "audience", "turn_id", "kind"])
        .doUpdateSet(changing)
        .where("receipts.outcome", "not in", finalOutcomes)
        .where("receipts.user_id", "=", keyText(key.user)),
    )
    .execute()
}

async function receiptsOfTurn(db: Queries, turnId: string, key: ServiceKey): Promise<readonly Receipt[]> {
  const found = db.selectFrom("receipts").select(["kind", "body"]).where(inSession(key)).where(aboutUser(key))
  const rows = await found.where("turn_id", "=", keyText(turnId)).orderBy("position").orderBy("kind").execute()
  return rows.map(({ kind, body }) =>
    readBody<Receipt>(body, { table: "receipts", columns: { ...sessionColumns(key), turn_id: keyText(turnId), kind } }),
  )
}

/** The attempts of a user's receipts since a moment: each attempt asked the model once. */
async function modelCalls(db: Queries, key: ServiceKey, sinceMs: number): Promise<number> {
  const recent = db.selectFrom("receipts").where(aboutUser(key)).where("started_ms", ">=", sinceMs)
  const { calls } = await recent
    .where("model", "is not", null)
    .select(({ fn, cast, lit }) => cast<number>(fn.coalesce(fn.sum("attempt"), lit(0)), "integer").as("calls"))
    .executeTakeFirstOrThrow()
  return calls
}

/** The columns that name a receipt. */
export function receiptColumns({ key, turnId, kind }: Pick<Receipt, "key" | "turnId" | "kind">) {
  return { ...sessionColumns(key), turn_id: keyText(turnId), kind: keyText(kind) }
}
