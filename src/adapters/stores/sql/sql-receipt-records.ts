import type { ServiceKey } from "../../../core/conversation.ts"
import { frozenJson } from "../../../memory/services/store/frozen-json.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import type { ReceiptRecords } from "../../../memory/services/store/records.ts"
import { aboutUser, having, inSession, keyNames, keyText, sessionColumns, userColumns } from "./key-columns.ts"
import { lockAgent } from "./memory/memory-scope.ts"
import { prepared } from "./prepared.ts"
import { bodyText, readBody } from "./row-body.ts"
import { expectTurn } from "./session/read-session.ts"
import type { SqlDatabase } from "./sql-database.ts"
import type { Queries, SessionColumns, Tables } from "./sql-tables.ts"

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
  const [last] = (await selectLast(db, { ...sessionColumns(key), turn_id: keyText(turnId) })).rows
  const changing = {
    outcome,
    attempt,
    started_ms: startedMs,
    model: model === undefined ? null : keyText(model),
    body: bodyText(frozenJson(receipt, "receipt")),
  }
  await insertOrUpdate(db, {
    ...receiptColumns(receipt),
    ...userColumns(key),
    ...changing,
    position: (last?.position ?? -1) + 1,
  })
}

const selectLast = prepared([...keyNames, "turn_id"], (db, turn: SessionColumns & Pick<Tables["receipts"], "turn_id">) =>
  db.selectFrom("receipts").select("position").where(having(turn)).orderBy("position", "desc").limit(1),
)

const insertOrUpdate = prepared(
  [...keyNames, "user_id", "turn_id", "kind", "position", "outcome", "attempt", "started_ms", "model", "body"],
  (db, row: Tables["receipts"]) => {
    const { outcome, attempt, started_ms, model, body } = row
    return db
      .insertInto("receipts")
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns([...keyNames, "turn_id", "kind"])
          .doUpdateSet({ outcome, attempt, started_ms, model, body })
          .where("receipts.outcome", "not in", finalOutcomes)
          .where("receipts.user_id", "=", row.user_id),
      )
  },
)

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
