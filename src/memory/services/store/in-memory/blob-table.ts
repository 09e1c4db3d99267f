import type { HistoryMessage, SessionKey } from "../../../../core/conversation.ts"
import { blobIdsIn, bytesFromText, bytesToText, newBlob } from "../blob.ts"
import type { BlobRecords } from "../records.ts"
import { rowId, sessionRowId } from "../row-keys.ts"
import type { StoreRow } from "../store-row.ts"
import type { BlobTable, Tables } from "./in-memory-tables.ts"

/** A line of an export about bytes that a session holds. */
type BlobRow = StoreRow & { readonly table: "blob" }

/** Keeps bytes in tables, and hands out copies. */
export function blobRecords({ blobs, sessions }: Pick<Tables, "blobs" | "sessions">): BlobRecords {
  return {
    async put(given, key) {
      const { id, bytes } = await newBlob(given)
      sessions.put(sessions.row(key))
      blobs.bytes.set(rowId(key.agent, id), blobs.bytes.get(rowId(key.agent, id)) ?? bytes)
      hold(blobs, key, id)
      return { id }
    },
    async get(id, key) {
      const bytes = heldBy(blobs, key).includes(id) ? blobs.bytes.get(rowId(key.agent, id)) : undefined
      return bytes && new Uint8Array(bytes)
    },
  }
}

function hold({ held }: BlobTable, key: SessionKey, id: string): void {
  const session = sessionRowId(key)
  held.set(session, new Set(held.get(session)).add(id))
}

/** The ids of the blobs that a session holds, sorted. */
function heldBy({ held }: BlobTable, key: SessionKey): readonly string[] {
  return [...(held.get(sessionRowId(key)) ?? [])].sort()
}

/**
 * The lines of the blobs that a session holds: all, or those that the given messages name. `told` are the ids whose bytes the export
 * has already.
 */
export function* blobRows(
  { blobs }: Tables,
  key: SessionKey,
  { told, naming }: { readonly told: Set<string>; readonly naming: readonly HistoryMessage[] | undefined },
): Generator<BlobRow> {
  const named = naming && namedBlobs(naming)
  const { agent, conversation, audience } = key
  for (const id of heldBy(blobs, key)) {
    if (named?.has(id) === false) continue
    const bytes = blobs.bytes.get(rowId(agent, id)) ?? new Uint8Array()
    yield { table: "blob", agent, conversation, audience, id, ...(told.has(id) ? {} : { bytes: bytesToText(bytes) }) }
    told.add(id)
  }
}

/** Lets a session keep only the blobs that its messages name, and returns how many it lost. A deleted session has no messages. */
export function dropBlobs({ blobs }: Tables, key: SessionKey, messages: readonly HistoryMessage[]): number {
  const before = heldBy(blobs, key)
  if (before.length === 0) return 0
  const named = namedBlobs(messages)
  const left = before.filter((id) => named.has(id))
  if (left.length > 0) blobs.held.set(sessionRowId(key), new Set(left))
  else blobs.held.delete(sessionRowId(key))
  return before.length - left.length
}

/** Deletes the bytes that no session holds any more. */
export function dropUnheld({ blobs, sessions }: Tables): void {
  const held = new Set(sessions.rows().flatMap(({ key }) => heldBy(blobs, key).map((id) => rowId(key.agent, id))))
  for (const name of blobs.bytes.keys()) if (!held.has(name)) blobs.bytes.delete(name)
}

function namedBlobs(messages: readonly HistoryMessage[]): ReadonlySet<string> {
  return new Set(messages.flatMap((message) => blobIdsIn(JSON.stringify(message))))
}

/** Puts a line back. False if the session holds the blob already, or its bytes are not there. */
export function importBlob({ blobs }: Tables, { id, bytes, ...key }: BlobRow): boolean {
  if (heldBy(blobs, key).includes(id)) return false
  const name = rowId(key.agent, id)
  const kept = blobs.bytes.get(name) ?? (bytes === undefined ? undefined : bytesFromText(bytes))
  if (kept === undefined) return false
  blobs.bytes.set(name, kept)
  hold(blobs, key, id)
  return true
}
