import { frozenJson } from "../frozen-json.ts"
import type { Receipt } from "../receipt.ts"
import type { ReceiptRecords } from "../records.ts"
import { sessionOf, userOf } from "./row-tables.ts"
import { type Conditions, inPages, lastPosition, type RowDatabase, type Rows } from "./rows.ts"
import { expectTurn } from "./session-rows.ts"

const finalOutcomes = ["ok", "empty", "skipped"]

/** Receipts in tables. */
export function createReceiptRecords({ readOnce, write }: RowDatabase): ReceiptRecords {
  return {
    put: async (given, { ofTurn = false } = {}) => {
      const receipt = frozenJson(given, "receipt")
      await write(async (rows) => {
        if (ofTurn) await expectTurn(rows, receipt.key, receipt.turnId)
        await putReceipts(rows, [receipt])
      })
    },
    ofTurn: (turnId, key) =>
      readOnce(async (rows) => {
        const own = { ...sessionOf(key), ...userOf(key), turn_id: turnId }
        const found = await rows.select("receipts", own, { columns: ["body"], order: ["position", "kind"] })
        return Object.freeze(found.map(({ body }) => body))
      }),
    ofTurns: async (turnIds, key) => {
      const own = { ...sessionOf(key), ...userOf(key) }
      const pageOf = (ids: readonly string[]) => readOnce((rows) => receiptsIn(rows, { ...own, turn_id: { in: ids } }))
      return (await Promise.all([...inPages(turnIds)].map(pageOf))).flat()
    },
    since: (key, sinceMs) => readOnce((rows) => receiptsIn(rows, { ...userOf(key), started_ms: { from: sinceMs } })),
  }
}

async function receiptsIn(rows: Rows, where: Conditions<"receipts">): Promise<readonly Receipt[]> {
  return (await rows.select("receipts", where, { columns: ["body"] })).map(({ body }) => body)
}

/** The columns that name a receipt. */
export function receiptColumns({ key, turnId, kind }: Pick<Receipt, "key" | "turnId" | "kind">) {
  return { ...sessionOf(key), turn_id: turnId, kind }
}

/**
 * Adds frozen receipts of one turn, each of another kind, within a transaction. One replaces that of its kind unless that is final.
 * `areFirst` says that the turn has no others, so that nobody looks.
 */
export async function putReceipts(rows: Rows, receipts: readonly Receipt[], { areFirst = false } = {}): Promise<void> {
  const [first] = receipts
  if (first === undefined) return
  const { key, turnId } = first
  const [last] = areFirst ? [] : await rows.select("receipts", { ...sessionOf(key), turn_id: turnId }, lastPosition)
  const added = receipts.map((receipt, at) => {
    const { outcome, attempt, startedMs, model } = receipt
    const changing = { outcome, attempt, started_ms: startedMs, model: model ?? null, body: receipt }
    return { ...receiptColumns(receipt), ...userOf(key), ...changing, position: (last?.position ?? -1) + 1 + at }
  })
  const columns = ["outcome", "attempt", "started_ms", "model", "body"] as const
  await rows.put("receipts", added, columns, { outcome: { notIn: finalOutcomes }, user_id: key.user })
}
