import type { SessionKey } from "../../../../core/conversation.ts"
import { blobIdsIn, newBlob } from "../blob.ts"
import type { BlobRecords } from "../records.ts"
import { messageTables, sessionOf } from "./row-tables.ts"
import { inPages, type RowDatabase, type Rows, valuesOf } from "./rows.ts"
import { lockSession } from "./session-rows.ts"

/** Bytes in tables. */
export function createBlobRecords({ read, write }: RowDatabase): BlobRecords {
  return {
    async put(given, key) {
      const { id, bytes } = await newBlob(given)
      await write(async (rows) => {
        await lockSession(rows, key)
        await keepBytes(rows, key.agent, id, bytes)
        await rows.add("session_blobs", { ...sessionOf(key), id })
      })
      return { id }
    },
    get: (id, key) =>
      read(async (rows) => {
        const held = await rows.select("session_blobs", { ...sessionOf(key), id }, { columns: ["id"] })
        return held.length === 0 ? undefined : readBlob(rows, key.agent, id)
      }),
  }
}

/** Keeps bytes, and locks their row until the transaction ends, so that nobody deletes them before they are held. */
export async function keepBytes(rows: Rows, agent: string, id: string, bytes: Uint8Array): Promise<void> {
  if ((await rows.lock("blobs", { agent, id })).length > 0) return
  await rows.put("blobs", [{ agent, id, size: bytes.length, bytes }], ["size"])
}

/** A copy of the bytes of a blob; undefined if there are none. */
export async function readBlob(rows: Rows, agent: string, id: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const [row] = await rows.select("blobs", { agent, id }, { columns: ["bytes"] })
  return row && new Uint8Array(row.bytes)
}

/** The ids of the blobs that a session holds, sorted. */
export async function heldBlobs(rows: Rows, key: SessionKey): Promise<readonly string[]> {
  return (await rows.select("session_blobs", sessionOf(key), { columns: ["id"] })).map(({ id }) => id).sort()
}

/** The ids that the messages of a session name. Only messages of some turns are asked, if these are given. */
export async function namedBlobs(rows: Rows, key: SessionKey, turns?: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  for (const table of messageTables)
    for (const { turn_id, body } of await rows.select(table, sessionOf(key), { columns: ["turn_id", "body"] }))
      if (turns?.has(turn_id) ?? true) for (const id of blobIdsIn(JSON.stringify(body))) named.add(id)
  return named
}

/** Lets a session keep only the blobs that its messages name, and returns how many it lost. To be called after its messages were deleted. */
export async function dropBlobs(rows: Rows, key: SessionKey): Promise<number> {
  const held = await heldBlobs(rows, key)
  if (held.length === 0) return 0
  const named = await namedBlobs(rows, key)
  const gone = held.filter((id) => !named.has(id))
  for (const page of inPages(gone)) await rows.delete("session_blobs", { ...sessionOf(key), id: { in: page } })
  return gone.length
}

/** Deletes the bytes of an agent that no session holds any more. */
export async function dropUnheld(rows: Rows, agent: string): Promise<void> {
  const held = valuesOf("session_blobs", "id", { agent })
  const unheld = await rows.select("blobs", { agent, id: { outside: held } }, { columns: ["id"] })
  for (const page of inPages(unheld.map(({ id }) => id))) {
    // A process that lets a session hold one of them locks it first. Under the lock it shows whether one is held now.
    await rows.lock("blobs", { agent, id: { in: page } })
    const now = await rows.select("session_blobs", { agent, id: { in: page } }, { columns: ["id"] })
    const kept = new Set(now.map(({ id }) => id))
    await rows.delete("blobs", { agent, id: { in: page.filter((id) => !kept.has(id)) } })
  }
}
