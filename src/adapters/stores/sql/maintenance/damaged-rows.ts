import type { Kysely } from "kysely"
import { PromptStrataError } from "../../../../core/errors.ts"
import { blobId, bytesToText } from "../../../../memory/services/store/blob.ts"
import { having } from "../key-columns.ts"
import { readCopyPart } from "../memory/copy-part.ts"
import { readVector } from "../memory/memory-vectors.ts"
import { type DamagedRow, damagedHint, type RowName, readBody, rowText } from "../row-body.ts"
import type { Queries } from "../sql-tables.ts"

/** A table of which each row has a body. */
export interface BodyTable {
  readonly table: string
  /** The column of the body. */
  readonly body: string
  /** The columns by which the rows are read in portions. */
  readonly group: readonly string[]
  /** The columns that name a row within its group. */
  readonly id: readonly string[]
  /** The part of the store that is lost without the row's body. */
  readonly lost: string
}

const session = ["agent", "conversation", "audience"]
const bodyTables: readonly BodyTable[] = [
  { table: "sessions", body: "whole_state", group: session, id: [], lost: "the conversation's state; its messages stay" },
  { table: "state_changes", body: "body", group: session, id: ["version"], lost: "the state's changes from this version on" },
  { table: "messages", body: "body", group: session, id: ["position"], lost: "this message" },
  { table: "aside_messages", body: "body", group: session, id: ["position"], lost: "this message, which was set aside" },
  { table: "notes", body: "body", group: session, id: ["id"], lost: "this note, which waited for the next turn" },
  { table: "memories", body: "body", group: ["agent", "user_id"], id: ["id"], lost: "this memory with its vectors" },
  { table: "statements", body: "body", group: ["agent", "user_id"], id: ["position"], lost: "this statement about the user" },
  { table: "receipts", body: "body", group: session, id: ["turn_id", "kind"], lost: "the record of this background work" },
]

/** The rows of jobs in which damage is looked for. */
export interface JobBodies {
  /** The tables of jobs that the store itself reads; none where a job engine keeps them. */
  readonly bodies: readonly BodyTable[]
  /** The damaged rows of a job engine, and the way to delete one. */
  readonly ofEngine?: {
    damaged(db: Queries): Promise<readonly DamagedRow[]>
    remove(db: Queries, row: DamagedRow): Promise<void>
  }
}

/** Reads every body of the store and returns the damaged ones. */
export async function damagedRows(db: Queries, jobs: JobBodies): Promise<readonly DamagedRow[]> {
  const found: DamagedRow[] = []
  for (const table of [...bodyTables, ...jobs.bodies]) found.push(...(await damagedIn(anyTable(db), table)))
  const ofEngine = (await jobs.ofEngine?.damaged(db)) ?? []
  return [...found, ...ofEngine, ...(await damagedVectors(db)), ...(await damagedBlobs(db)), ...(await damagedCopies(db))]
}

/** Parts of copies of recall indexes with other bytes than were written. They are read one by one. */
async function damagedCopies(db: Queries): Promise<readonly DamagedRow[]> {
  const lost = "a copy of a recall index, which is made again from the memories"
  const found: DamagedRow[] = []
  const parts = db.selectFrom("index_copies").select(["agent", "scope", "copy", "part"])
  for (const columns of await parts.orderBy("agent").orderBy("scope").orderBy("copy").orderBy("part").execute()) {
    const row = await db.selectFrom("index_copies").selectAll().where(having(columns)).executeTakeFirstOrThrow()
    if (!isDamaged(() => readCopyPart(row))) continue
    found.push({ table: "index_copies", columns: { ...columns }, body: Buffer.from(row.bytes).toString("base64"), lost })
  }
  return found
}

async function damagedVectors(db: Queries): Promise<readonly DamagedRow[]> {
  const found: DamagedRow[] = []
  const groups = await db.selectFrom("vectors").select(["agent", "model"]).distinct().execute()
  for (const group of groups)
    for (const row of await db.selectFrom("vectors").selectAll().where(having(group)).execute()) {
      const columns = { ...group, memory_id: row.memory_id }
      if (!isDamaged(() => readVector(row))) continue
      found.push({
        table: "vectors",
        columns,
        body: Buffer.from(row.vector).toString("base64"),
        lost: "this vector, which is made again",
      })
    }
  return found
}

/** Statements about a table whose name is data. */
export function anyTable(db: Queries) {
  return db as unknown as Kysely<Record<string, Record<string, string | number | null>>>
}

async function damagedIn(db: ReturnType<typeof anyTable>, { table, body, group, id, lost }: BodyTable) {
  const found: DamagedRow[] = []
  const groups = await db
    .selectFrom(table)
    .select([...group])
    .distinct()
    .execute()
  for (const columns of groups) {
    const rows = db
      .selectFrom(table)
      .select([...group, ...id, body])
      .where(({ and }) => and(columns))
      .where(body, "is not", null)
    for (const { [body]: text, ...named } of await rows.execute()) {
      const name = { table, columns: named as RowName["columns"] }
      if (isDamaged(() => readBody(String(text), name))) found.push({ ...name, body: String(text), lost })
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

/** Blobs whose bytes do not match their id. They are read one by one. */
async function damagedBlobs(db: Queries): Promise<readonly DamagedRow[]> {
  const lost = "these bytes, such as a picture, in every conversation that holds them"
  const found: DamagedRow[] = []
  for (const columns of await db.selectFrom("blobs").select(["agent", "id"]).orderBy("agent").orderBy("id").execute()) {
    const { bytes } = await db.selectFrom("blobs").select("bytes").where(having(columns)).executeTakeFirstOrThrow()
    const copy = new Uint8Array(bytes)
    if ((await blobId(copy)) !== columns.id)
      found.push({ table: "blobs", columns: { ...columns }, body: bytesToText(copy), lost })
  }
  return found
}

/** A damaged row as a problem of the store. */
export function damageProblem(row: DamagedRow): string {
  return `${rowText(row)}: the row is damaged. Without it is lost: ${row.lost}. ${damagedHint}`
}
