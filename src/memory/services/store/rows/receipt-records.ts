import { frozenJson } from "../frozen-json.ts"
import type { Receipt } from "../receipt.ts"
import type { ReceiptRecords } from "../records.ts"
import { sessionOf, userOf } from "./row-tables.ts"
import type { RowDatabase, Rows } from "./rows.ts"
import { expectTurn } from "./session-rows.ts"

const finalOutcomes = ["ok", "empty", "skipped"]

/** Receipts in tables. Without `hasSessions` the tables have no messages, so nothing tells if a turn is gone. */
export function createReceiptRecords({ read, write }: RowDatabase, { hasSessions = true } = {}): ReceiptRecords {
  return {
    put: async (given, { ofTurn = false } = {}) => {
      const receipt = frozenJson(given, "receipt")
      await write(async (rows) => {
        if (ofTurn && hasSessions) await expectTurn(rows, receipt.key, receipt.turnId)
        await putReceipt(rows, receipt)
      })
    },
    ofTurn: (turnId, key) =>
      read(async (rows) => {
        const own = { ...sessionOf(key), ...userOf(key), turn_id: turnId }
        const found = await rows.select("receipts", own, { columns: ["body"], order: ["position", "kind"] })
        return Object.freeze(found.map(({ body }) => body))
      }),
    modelCalls: (key, sinceMs) =>
      read(async (rows) => {
        const asked = { ...userOf(key), started_ms: { from: sinceMs }, model: { isNot: null } }
        const found = await rows.select("receipts", asked, { columns: ["attempt"] })
        return found.reduce((calls, { attempt }) => calls + attempt, 0)
      }),
  }
}

/** The columns that name a receipt. */
export function receiptColumns({ key, turnId, kind }: Pick<Receipt, "key" | "turnId" | "kind">) {
  return { ...sessionOf(key), turn_id: turnId, kind }
}

/** Adds a frozen receipt within a transaction, or replaces the one of its turn and kind unless that is final. */
export async function putReceipt(rows: Rows, receipt: Receipt): Promise<void> {
  const { key, turnId, outcome, attempt, startedMs, model } = receipt
  const newest = { columns: ["position"], order: ["position"], isDescending: true, limit: 1 } as const
  const [last] = await rows.select("receipts", { ...sessionOf(key), turn_id: turnId }, newest)
  const changing = { outcome, attempt, started_ms: startedMs, model: model ?? null, body: receipt }
  const position = (last?.position ?? -1) + 1
  await rows.put(
    "receipts",
    { ...receiptColumns(receipt), ...userOf(key), ...changing, position },
    ["outcome", "attempt", "started_ms", "model", "body"],
    { outcome: { notIn: finalOutcomes }, user_id: key.user },
  )
}
