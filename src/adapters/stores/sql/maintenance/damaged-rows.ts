import { PromptStrataError } from "../../../../core/errors.ts"
import { blobId, bytesToText } from "../../../../memory/services/store/blob.ts"
import { bytesChecksum, type DamagedRow, damagedHint, type RowName, readBody, rowText } from "../row-body.ts"
import { anyTable } from "../row-statements.ts"
import type { CheckedTable, JobBodies, Queries } from "../sql-database.ts"

const session = ["agent", "conversation", "audience"]
const bodyTables: readonly CheckedTable[] = [
  { table: "sessions", body: "whole_state", group: session, id: [], lost: "the conversation's state; its messages stay" },
  { table: "state_changes", body: "body", group: session, id: ["version"], lost: "the state's changes from this version on" },
  { table: "messages", body: "body", group: session, id: ["position"], lost: "this message" },
  { table: "aside_messages", body: "body", group: session, id: ["position"], lost: "this message, which was set aside" },
  { table: "notes", body: "body", group: session, id: ["id"], lost: "this note, which waited for the next turn" },
  { table: "memories", body: "body", group: ["agent", "user_id"], id: ["id"], lost: "this memory with its vectors" },
  { table: "statements", body: "body", group: ["agent", "user_id"], id: ["position"], lost: "this statement about the user" },
  { table: "receipts", body: "body", group: session, id: ["turn_id", "kind"], lost: "the record of this background work" },
]

/** Large bytes are read one by one. */
const bytesTables: readonly CheckedTable[] = [
  {
    ...({ table: "vectors", body: "vector", mark: "checksum", group: ["agent", "model"], id: ["memory_id"] } as const),
    lost: "this vector, which is made again",
  },
  {
    ...({ table: "blobs", body: "bytes", mark: "id", group: ["agent", "id"], id: [] } as const),
    lost: "these bytes, such as a picture, in every conversation that holds them",
  },
  {
    ...({ table: "index_copies", body: "bytes", mark: "checksum", group: ["agent", "scope", "copy", "part"], id: [] } as const),
    lost: "a copy of a recall index, which is made again from the memories",
  },
]

/** Reads every body of the store and returns the damaged ones. */
export async function damagedRows(db: Queries, jobs: JobBodies): Promise<readonly DamagedRow[]> {
  const found: DamagedRow[] = []
  for (const table of [...bodyTables, ...jobs.bodies]) found.push(...(await damagedIn(db, table)))
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
