import { PromptStrataError } from "../../../../core/errors.ts"
import { blobId, bytesToText } from "../../../../memory/services/store/blob.ts"
import { countRows } from "../../../../memory/services/store/rows/row-store.ts"
import type { Rows } from "../../../../memory/services/store/rows/rows.ts"
import type { StoreCheck } from "../../../../memory/services/store/store.ts"
import { bytesChecksum, type DamagedRow, damagedHint, type RowName, readBody, rowText } from "../row-body.ts"
import { anyTable } from "../row-statements.ts"
import type { CheckedTable, JobBodies, Queries, SqlJobs } from "../sql-database.ts"
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
function damageProblem(row: DamagedRow): string {
  return `${rowText(row)}: the row is damaged. Without it is lost: ${row.lost}. ${damagedHint}`
}

/** Counts the rows of each table, reads every body, and looks for rows that do not fit together. */
export async function checkRows(db: Queries, rows: Rows, jobs: SqlJobs): Promise<Omit<StoreCheck, "ok">> {
  const counts = await countRows(rows)
  const ofJobs = await jobs.check(db)
  const damaged = await damagedRows(db, jobs)
  return {
    counts: { ...counts, job: ofJobs.count },
    problems: [...damaged.map(damageProblem), ...(await lostRows(db)), ...(await hiddenMemories(db)), ...ofJobs.problems],
  }
}

const repair = "Export, and import into a new store."

/** Rows whose owner is gone, by the columns that name it. Foreign keys forbid them, but another program may have written to the file. */
async function lostRows(db: Queries): Promise<readonly string[]> {
  const problems: string[] = []
  const session = { agent: "agent", conversation: "conversation", audience: "audience" }
  for (const table of ["messages", "aside_messages", "notes", "state_changes", "session_blobs"]) {
    const lost = await countWithout(db, table, { sessions: session })
    if (lost > 0) problems.push(`${table}: ${lost} rows belong to no session. ${repair}`)
  }
  const statements = await countWithout(db, "statements", { users: { agent: "agent", user_id: "user_id" } })
  if (statements > 0) problems.push(`statements: ${statements} rows belong to no user. ${repair}`)
  // Messages that are set aside behind a message that is gone: their branch could not be taken up again as it was.
  const before = { ...session, position: "follows" }
  const unlinked = await countWithout(db, "aside_messages", { messages: before, aside_messages: before }, "follows")
  if (unlinked > 0) problems.push(`aside_messages: ${unlinked} rows follow a message that is gone. ${repair}`)
  const held = await countWithout(db, "session_blobs", { blobs: { agent: "agent", id: "id" } })
  const advice = "Put the same bytes again, or go back to a backup."
  if (held > 0) problems.push(`session_blobs: ${held} rows hold bytes that are not there. ${advice}`)
  return problems
}

/** Counts the rows of a table that have none of some owners. An owner's columns have the values of the named ones; `from0` leaves out what is below 0. */
async function countWithout(
  db: Queries,
  table: string,
  owners: Readonly<Record<string, Readonly<Record<string, string>>>>,
  from0?: string,
): Promise<number> {
  let rows = anyTable(db)
    .selectFrom(`${table} as row`)
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "integer").as("lost"))
  if (from0 !== undefined) rows = rows.where(`row.${from0}`, ">=", 0)
  for (const [owner, columns] of Object.entries(owners))
    rows = rows.where(({ not, exists, selectFrom, lit }) => {
      let own = selectFrom(`${owner} as owner`).select(lit(1).as("one"))
      for (const [name, given] of Object.entries(columns)) own = own.whereRef(`owner.${name}`, "=", `row.${given}`)
      return not(exists(own))
    })
  return (await rows.executeTakeFirstOrThrow()).lost
}

/** Memories that no reader of changes would ever see, because their number is above the newest number of their scope. */
async function hiddenMemories(db: Queries): Promise<readonly string[]> {
  const { lost } = await db
    .selectFrom("memories")
    .innerJoin("memory_scopes", (join) =>
      join
        .onRef("memory_scopes.agent", "=", "memories.agent")
        .on(({ eb, val }) => eb("memory_scopes.scope", "=", eb(val("user:"), "||", eb.ref("memories.user_id")))),
    )
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "integer").as("lost"))
    .whereRef("memories.user_sequence", ">", "memory_scopes.sequence")
    .executeTakeFirstOrThrow()
  return lost > 0 ? [`memories: ${lost} rows are numbered above their user's count. ${repair}`] : []
}
