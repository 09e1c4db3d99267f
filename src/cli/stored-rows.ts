import type { Store, StoreScope } from "../services/store/store.ts"
import { readStoreRow, type StoreRow } from "../services/store/store-row.ts"

/** The rows of some tables that a scope owns, in the order of an export. */
export async function storedRows<Table extends StoreRow["table"]>(
  store: Store,
  scope: StoreScope,
  tables: readonly Table[],
): Promise<readonly (StoreRow & { readonly table: Table })[]> {
  const rows: (StoreRow & { readonly table: Table })[] = []
  let number = 0
  for await (const line of store.export(scope)) {
    number += 1
    const row = readStoreRow(line, number)
    if (isOf(row, tables)) rows.push(row)
  }
  return rows
}

function isOf<Table extends StoreRow["table"]>(
  row: StoreRow,
  tables: readonly Table[],
): row is StoreRow & { readonly table: Table } {
  return (tables as readonly string[]).includes(row.table)
}

/** Counts by table in one line, in words of no language but the tables' own: `session 2, message 14`. Empty where there is nothing. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${table} ${count}`)
    .join(", ")
}
