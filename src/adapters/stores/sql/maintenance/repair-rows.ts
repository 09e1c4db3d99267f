import { open, unlink } from "node:fs/promises"
import type { Audience, SessionKey } from "../../../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../../core/errors.ts"
import { forgetMemories } from "../../../../memory/services/store/rows/forget-memories.ts"
import { messageTables, sessionOf, sessionRowId } from "../../../../memory/services/store/rows/row-tables.ts"
import type { Rows } from "../../../../memory/services/store/rows/rows.ts"
import { linkWithout, lockSession, recountSpoken } from "../../../../memory/services/store/rows/session-rows.ts"
import { type DamagedRow, storedBody } from "../row-body.ts"
import { anyTable } from "../row-statements.ts"
import { deleteChanges } from "../session/stored-state.ts"
import { fromKeyText, having, inSession, type JobBodies, type Queries, type SqlDatabase } from "../sql-database.ts"
import type { SqlRowDatabase } from "../sql-rows.ts"
import { damagedRows } from "./damaged-rows.ts"

/**
 * Moves damaged rows to a new file, one JSON object a line, and returns them. The rows are on the disk before they are deleted.
 * Makes no file if no row is damaged.
 */
export async function repairRows(
  database: SqlDatabase,
  { over, jobs, path }: { readonly over: SqlRowDatabase; readonly jobs: JobBodies; readonly path: string },
): Promise<readonly DamagedRow[]> {
  const file = await open(path, "wx", 0o600).catch((cause: unknown) => {
    const message = `Expected to write damaged rows to a new file, could not make ${path}: ${messageOf(cause)}.`
    throw new PromptStrataError("store", message, {
      cause,
      hint: "Nothing was changed. Name a file that does not exist.",
      evidence: { path },
    })
  })
  let damaged: readonly DamagedRow[] = []
  try {
    damaged = await database.write(async (db) => {
      const rows = await damagedRows(db, jobs)
      // A transaction can run twice.
      await file.truncate(0)
      await file.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(""), 0)
      await file.sync()
      await setAside({ db, rows: over.rowsIn(db) }, jobs, rows)
      return rows
    })
    return damaged
  } finally {
    await file.close()
    if (damaged.length === 0) await unlink(path)
  }
}

/** A transaction: its statements, and its tables as all stores have them. */
interface Transaction {
  readonly db: Queries
  readonly rows: Rows
}

/** Deletes damaged rows, and makes the rest fit together again. */
async function setAside({ db, rows }: Transaction, jobs: JobBodies, damaged: readonly DamagedRow[]): Promise<void> {
  const memories = damaged.filter(({ table }) => table === "memories").map(({ columns }) => textsOf(columns, ["agent", "id"]))
  for (const [agent = "", own] of Map.groupBy(memories, ([agent]) => agent))
    await forgetMemories(rows, agent, [{ agent, id: { in: own.map(([, id]) => id) } }], { insights: false })
  const sessions = new Map<string, SessionKey>()
  for (const row of damaged)
    if (["sessions", "state_changes", ...messageTables, "notes"].includes(row.table)) sessions.set(...keyOf(row))
  for (const [id, key] of sessions) {
    const lost = damaged.filter((row) => (messageTables as readonly string[]).includes(row.table) && keyOf(row)[0] === id)
    const positions = new Set(lost.map(({ columns }) => columns.position))
    if (lost.length > 0) await linkWithout(rows, key, ({ position }) => positions.has(position))
  }
  for (const row of damaged) {
    if (row.table === "jobs" && jobs.ofEngine) await jobs.ofEngine.remove(db, row)
    else if (row.table !== "memories") await setRowAside(db, row)
  }
  for (const key of sessions.values()) {
    const { version } = await lockSession(rows, key)
    await rows.update("sessions", sessionOf(key), { version: version + 1, spoken: await recountSpoken(rows, key) })
  }
}

function textsOf(columns: DamagedRow["columns"], names: readonly string[]): readonly string[] {
  return names.map((name) => fromKeyText(String(columns[name])))
}

function keyOf({ columns }: DamagedRow): [id: string, key: SessionKey] {
  const [agent = "", conversation = ""] = textsOf(columns, ["agent", "conversation"])
  const key = { agent, conversation, audience: columns.audience as Audience }
  return [sessionRowId(key), key]
}

async function setRowAside(db: Queries, row: DamagedRow): Promise<void> {
  const { table, columns } = row
  const named = having(columns)
  if (table === "sessions") {
    await deleteChanges(db, keyOf(row)[1])
    await anyTable(db)
      .updateTable(table)
      .set({ whole_state: storedBody({}) })
      .where(named)
      .execute()
  } else if (table === "state_changes") {
    // A change rests on all changes before it.
    const later = db.deleteFrom("state_changes").where(inSession(keyOf(row)[1]))
    await later.where("version", ">=", Number(columns.version)).execute()
  } else if (table === "notes") {
    // The id stays known, so that the note is not posted twice.
    await anyTable(db).updateTable(table).set({ body: null }).where(named).execute()
  } else {
    if (table === "blobs") await anyTable(db).deleteFrom("session_blobs").where(named).execute()
    await anyTable(db).deleteFrom(table).where(named).execute()
    if (table !== "statements") return
    const { position: _, ...user } = columns
    const users = db.updateTable("users").set(({ eb }) => ({ version: eb("version", "+", 1) }))
    await users.where(having(user)).execute()
  }
}
