import { open, unlink } from "node:fs/promises"
import type { Audience, SessionKey } from "../../../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../../core/errors.ts"
import { fromKeyText, having, inSession, keyText } from "../key-columns.ts"
import { lockScope, nextEpoch, setEpoch } from "../memory/memory-scope.ts"
import { bodyText, type DamagedRow } from "../row-body.ts"
import { linkWithout } from "../session/session-branches.ts"
import { deleteChanges } from "../session/stored-state.ts"
import { lockSession } from "../session/write-session.ts"
import type { SqlDatabase } from "../sql-database.ts"
import { messageTables, type Queries } from "../sql-tables.ts"
import { anyTable, damagedRows, type JobBodies } from "./damaged-rows.ts"
import { deletedColumns, deleteMemories, scopesOf } from "./forget-memories.ts"
import { recountSpoken } from "./sql-forget.ts"

/**
 * Moves damaged rows to a new file, one JSON object a line, and returns them. The rows are on the disk before they are deleted.
 * Makes no file if no row is damaged.
 */
export async function repairRows(database: SqlDatabase, jobs: JobBodies, path: string): Promise<readonly DamagedRow[]> {
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
      await setAside(db, jobs, rows)
      return rows
    })
    return damaged
  } finally {
    await file.close()
    if (damaged.length === 0) await unlink(path)
  }
}

/** Deletes damaged rows, and makes the rest fit together again. */
async function setAside(db: Queries, jobs: JobBodies, damaged: readonly DamagedRow[]): Promise<void> {
  const ids = damaged.filter(({ table }) => table === "memories").map(({ columns: { agent, id } }) => ({ agent, id }))
  for (const agent of new Set(ids.map(({ agent }) => String(agent))))
    await setMemoriesAside(
      db,
      fromKeyText(agent),
      ids.filter((row) => row.agent === agent).map(({ id }) => String(id)),
    )
  const sessions = new Map<string, SessionKey>()
  for (const row of damaged)
    if (["sessions", "state_changes", ...messageTables, "notes"].includes(row.table)) sessions.set(...sessionOf(row))
  for (const [id, key] of sessions) {
    const lost = damaged.filter((row) => (messageTables as readonly string[]).includes(row.table) && sessionOf(row)[0] === id)
    const positions = new Set(lost.map(({ columns }) => columns.position))
    if (lost.length > 0) await linkWithout(db, key, ({ position }) => positions.has(position))
  }
  for (const row of damaged) {
    if (row.table === "jobs" && jobs.ofEngine) await jobs.ofEngine.remove(db, row)
    else if (row.table !== "memories") await setRowAside(db, row)
  }
  for (const key of sessions.values()) {
    const { version } = await lockSession(db, key)
    const next = { version: version + 1, spoken: await recountSpoken(db, key) }
    await db.updateTable("sessions").set(next).where(inSession(key)).execute()
  }
}

function sessionOf({ columns }: DamagedRow): [id: string, key: SessionKey] {
  const [agent, conversation] = [fromKeyText(String(columns.agent)), fromKeyText(String(columns.conversation))]
  const audience = columns.audience as Audience
  return [JSON.stringify([agent, conversation, audience]), { agent, conversation, audience }]
}

async function setRowAside(db: Queries, row: DamagedRow): Promise<void> {
  const { table, columns } = row
  const named = having(columns)
  if (table === "sessions") {
    await deleteChanges(db, sessionOf(row)[1])
    await anyTable(db)
      .updateTable(table)
      .set({ whole_state: bodyText({}) })
      .where(named)
      .execute()
  } else if (table === "state_changes") {
    // A change rests on all changes before it.
    const later = db.deleteFrom("state_changes").where(inSession(sessionOf(row)[1]))
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

/** The scopes of these memories begin a new epoch, so that readers of changes begin anew. */
async function setMemoriesAside(db: Queries, agent: string, ids: readonly string[]): Promise<void> {
  const epoch = await nextEpoch(db, agent)
  const rows = db.selectFrom("memories").select(deletedColumns).where("id", "in", ids)
  const memories = await rows.where("agent", "=", keyText(agent)).execute()
  const scopes = scopesOf(memories)
  for (const scope of scopes) await lockScope(db, agent, scope)
  await deleteMemories(db, agent, memories)
  for (const scope of scopes) await setEpoch(db, agent, scope, epoch)
}
