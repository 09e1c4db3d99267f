import type { SessionKey } from "../../../core/conversation.ts"
import { blobId, blobIdsIn, newBlob } from "../../../memory/services/store/blob.ts"
import type { BlobRecords } from "../../../memory/services/store/records.ts"
import { fromKeyText, having, inSession, keyText, sessionColumns } from "./key-columns.ts"
import { damagedRow } from "./row-body.ts"
import { lockSession } from "./session/write-session.ts"
import type { SqlDatabase } from "./sql-database.ts"
import { messageTables, type Queries } from "./sql-tables.ts"

/** Bytes in a database. */
export function createSqlBlobRecords({ read, write }: SqlDatabase): BlobRecords {
  return {
    async put(given, key) {
      const { id, bytes } = await newBlob(given)
      await write(async (db) => {
        await lockSession(db, key)
        await keepBytes(db, key.agent, id, bytes)
        await holdBlob(db, key, id)
      })
      return { id }
    },
    get: (id, key) => read(async (db) => ((await heldBlobs(db, key, id)).length === 0 ? undefined : readBlob(db, key.agent, id))),
  }
}

/** Keeps bytes, and locks their row until the transaction ends, so that nobody deletes them before they are held. */
export async function keepBytes(db: Queries, agent: string, id: string, bytes: Uint8Array): Promise<void> {
  if (await lockBlobs(db, agent, [id])) return
  const row = { agent: keyText(agent), id: keyText(id), size: bytes.length, bytes }
  await db
    .insertInto("blobs")
    .values(row)
    .onConflict((conflict) => conflict.columns(["agent", "id"]).doUpdateSet({ size: bytes.length }))
    .execute()
}

/** Lets a session hold a blob; false if it does already. */
export async function holdBlob(db: Queries, key: SessionKey, id: string): Promise<boolean> {
  const added = await db
    .insertInto("session_blobs")
    .values({ ...sessionColumns(key), id: keyText(id) })
    .onConflict((conflict) => conflict.columns(["agent", "conversation", "audience", "id"]).doNothing())
    .returning("id")
    .executeTakeFirst()
  return added !== undefined
}

/** The ids of the blobs that a session holds, sorted: all, or the given one if it is among them. */
export async function heldBlobs(db: Queries, key: SessionKey, id?: string): Promise<readonly string[]> {
  let held = db.selectFrom("session_blobs").select("id").where(inSession(key))
  if (id !== undefined) held = held.where("id", "=", keyText(id))
  return (await held.execute()).map((row) => fromKeyText(row.id)).sort()
}

/** The bytes of a blob; undefined if there are none. Throws `store` if they do not match the id. */
export async function readBlob(db: Queries, agent: string, id: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const columns = { agent: keyText(agent), id: keyText(id) }
  const row = await db.selectFrom("blobs").select("bytes").where(having(columns)).executeTakeFirst()
  if (row === undefined) return undefined
  const bytes = new Uint8Array(row.bytes)
  if ((await blobId(bytes)) !== id) throw damagedRow({ table: "blobs", columns }, "other bytes")
  return bytes
}

/** The ids that the messages of a session name. Only messages of some turns are asked, if these are given. */
export async function namedBlobs(db: Queries, key: SessionKey, turns?: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  for (const table of messageTables)
    for (const { turn_id, body } of await db.selectFrom(table).select(["turn_id", "body"]).where(inSession(key)).execute())
      if (turns?.has(fromKeyText(turn_id)) ?? true) for (const id of blobIdsIn(body)) named.add(id)
  return named
}

/** Lets a session keep only the blobs that its messages name, and returns how many it lost. To be called after its messages were deleted. */
export async function dropBlobs(db: Queries, key: SessionKey): Promise<number> {
  const held = await heldBlobs(db, key)
  if (held.length === 0) return 0
  const named = await namedBlobs(db, key)
  const gone = held.filter((id) => !named.has(id))
  for (const id of gone) await db.deleteFrom("session_blobs").where(inSession(key)).where("id", "=", keyText(id)).execute()
  return gone.length
}

const pageIds = 500

/** Deletes the bytes of an agent that no session holds any more. */
export async function dropUnheld(db: Queries, agent: string): Promise<void> {
  const unheld = await unheldBlobs(db, agent).execute()
  for (let at = 0; at < unheld.length; at += pageIds) {
    const ids = unheld.slice(at, at + pageIds).map(({ id }) => id)
    // A process that lets a session hold one of them locks it first. Under the lock it shows whether one is held now.
    await lockBlobs(db, agent, ids.map(fromKeyText))
    const left = unheldBlobs(db, agent).where("blobs.id", "in", ids)
    await db.deleteFrom("blobs").where("agent", "=", keyText(agent)).where("id", "in", left).execute()
  }
}

function unheldBlobs(db: Queries, agent: string) {
  return db
    .selectFrom("blobs")
    .select("blobs.id")
    .where("blobs.agent", "=", keyText(agent))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("session_blobs")
            .select("session_blobs.id")
            .whereRef("session_blobs.agent", "=", "blobs.agent")
            .whereRef("session_blobs.id", "=", "blobs.id"),
        ),
      ),
    )
}

/** Locks blobs until the transaction ends; false if there is none. */
async function lockBlobs(db: Queries, agent: string, ids: readonly string[]): Promise<boolean> {
  const blobs = db.updateTable("blobs").set(({ ref }) => ({ size: ref("size") }))
  const own = blobs.where("agent", "=", keyText(agent)).where("id", "in", ids.map(keyText))
  return (await own.returning("id").execute()).length > 0
}

/** Blobs that are held without bytes. */
export async function blobProblems(db: Queries): Promise<readonly string[]> {
  const { lost } = await db
    .selectFrom("session_blobs")
    .leftJoin("blobs", (join) => join.onRef("blobs.agent", "=", "session_blobs.agent").onRef("blobs.id", "=", "session_blobs.id"))
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "integer").as("lost"))
    .where("blobs.id", "is", null)
    .executeTakeFirstOrThrow()
  return lost > 0
    ? [`session_blobs: ${lost} rows hold bytes that are not there. Put the same bytes again, or go back to a backup.`]
    : []
}
