import { PromptStrataError } from "../../../../core/errors.ts"
import { blobId, bytesToText } from "../../../../memory/services/store/blob.ts"
import { bytesChecksum, type DamagedRow, damagedHint, type RowName, readBody, rowText } from "../row-body.ts"
import { anyTable } from "../row-statements.ts"
import type { CheckedTable, JobBodies, Queries } from "../sql-database.ts"
import tables from "./checked-tables.json" with { type: "json" }

/** Large bytes are read one by one. */
const bytesTables = tables.bytes as readonly CheckedTable[]

/** Reads every body of the store and returns the damaged ones. */
export async function damagedRows(db: Queries, jobs: JobBodies): Promise<readonly DamagedRow[]> {
  const found: DamagedRow[] = []
  for (const table of [...tables.bodies, ...jobs.bodies]) found.push(...(await damagedIn(db, table)))
  found.push(...((await jobs.ofEngine?.damaged(db)) ?? []))
  for (const table of bytesTables) found.push(...(await damagedIn(db, table)))
  return found
}

async function damagedIn(db: Queries, checked: CheckedTable): Promise<readonly DamagedRow[]> {
  const { table, body, group, id, lost, mark } = checked
  const found: DamagedRow[] = []
  let groups = anyTable(db)
    .selectFrom(table)
    .select([...group])
    .distinct()
  for (const column of group) groups = groups.orderBy(column)
  for (const columns of await groups.execute()) {
    const read = [...group, ...id, body, ...(mark === "checksum" ? [mark] : [])]
    const rows = anyTable(db)
      .selectFrom(table)
      .select(read)
      .where(({ and }) => and(columns))
    for (const { [body]: kept, checksum, ...named } of await rows.where(body, "is not", null).execute()) {
      const name = { table, columns: named as RowName["columns"] }
      const isSound =
        mark === "checksum"
          ? checksum === null || checksum === bytesChecksum(kept as Uint8Array)
          : mark === "id"
            ? (await blobId(new Uint8Array(kept as Uint8Array))) === named.id
            : !isDamaged(() => readBody(String(kept), name))
      if (!isSound) found.push({ ...name, body: mark ? bytesToText(kept as Uint8Array) : String(kept), lost })
    }
  }
  return found
}

/** True if reading a row fails with an error of ours, such as that of a damaged body. */
export function isDamaged(read: () => unknown): boolean {
  try {
    read()
    return false
  } catch (error) {
    if (!PromptStrataError.isInstance(error)) throw error
    return true
  }
}

/** A damaged row as a problem of the store. */
export function damageProblem(row: DamagedRow): string {
  return `${rowText(row)}: the row is damaged. Without it is lost: ${row.lost}. ${damagedHint}`
}
