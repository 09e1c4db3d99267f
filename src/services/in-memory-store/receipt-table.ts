import type { ServiceKey } from "../../core/keys.ts"
import { frozenJson } from "../frozen-json.ts"
import type { Receipt, ReceiptOutcome } from "../receipt.ts"
import type { ReceiptRecords } from "../store.ts"
import { compareSessions, compareTexts, rowId, sessionRowId } from "./row-id.ts"

const finalOutcomes: readonly ReceiptOutcome[] = ["ok", "empty", "skipped"]

/** Receipts in memory, in the order in which they were first written. */
export class ReceiptTable implements ReceiptRecords {
  readonly #rows = new Map<string, Receipt>()

  async put(receipt: Receipt): Promise<void> {
    const id = rowId(sessionRowId(receipt.key), receipt.turnId, receipt.kind)
    const known = this.#rows.get(id)
    if (known === undefined || !finalOutcomes.includes(known.outcome)) this.#rows.set(id, frozenJson(receipt, "receipt"))
  }

  async ofTurn(turnId: string, key: ServiceKey): Promise<readonly Receipt[]> {
    const session = sessionRowId(key)
    return Object.freeze(
      [...this.#rows.values()].filter(
        (row) => row.turnId === turnId && row.key.user === key.user && sessionRowId(row.key) === session,
      ),
    )
  }

  async modelCalls({ agent, user }: ServiceKey, sinceMs: number): Promise<number> {
    const asked = [...this.#rows.values()].filter(
      ({ key, startedMs, model }) => model !== undefined && key.agent === agent && key.user === user && startedMs >= sinceMs,
    )
    return asked.reduce((calls, { attempt }) => calls + attempt, 0)
  }

  has({ key, turnId, kind }: Receipt): boolean {
    return this.#rows.has(rowId(sessionRowId(key), turnId, kind))
  }

  /** Deletes those that meet the condition; how many there were. */
  deleteWhere(condition: (receipt: Receipt) => boolean): number {
    const ids = [...this.#rows].filter(([, receipt]) => condition(receipt)).map(([id]) => id)
    for (const id of ids) this.#rows.delete(id)
    return ids.length
  }

  /** In the order of an export. */
  rows(): readonly Receipt[] {
    return [...this.#rows.values()].sort(compareReceipts)
  }
}

/** Orders receipts as an export has them: in the order of their work. Those of one turn that compare alike stay as they were written. */
export function compareReceipts(a: Receipt, b: Receipt): number {
  return a.startedMs - b.startedMs || compareSessions(a.key, b.key) || compareTexts([a.turnId], [b.turnId])
}
