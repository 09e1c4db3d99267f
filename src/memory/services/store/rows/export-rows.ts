import { bytesToText } from "../blob.ts"
import { renumbered, withoutMessages } from "../branches.ts"
import type { StoreScope } from "../store.ts"
import type { StoreRow } from "../store-row.ts"
import { heldBlobs, namedBlobs } from "./blob-records.ts"
import { memoryColumns, memoryOf } from "./memory-records.ts"
import { type OwnedSession, ownedKeys, ownedSessions, spokenTurns, whereOwned } from "./owned-rows.ts"
import { byTime, compareReceipts, compareTexts, sessionOf } from "./row-tables.ts"
import { type OwnedKeys, type Rows, valuesOf } from "./rows.ts"
import { wholeMessages } from "./session-rows.ts"

/**
 * The rows of a scope in the order of an export. Rows are sorted here, because databases differ in how they sort text. Rows of blobs
 * are without their bytes: these are read one by one.
 */
export async function exportedRows(rows: Rows, scope: StoreScope): Promise<readonly StoreRow[]> {
  const sessions = await ownedSessions(rows, scope)
  const owned = ownedKeys(scope, sessions)
  const exported: StoreRow[] = []
  for (const session of sessions) exported.push(...(await sessionRows(rows, session, scope)))
  exported.push(...(await memoryRows(rows, owned)), ...(await userRows(rows, scope)))
  const receipts = await rows.select("receipts", whereOwned(owned), { columns: ["body"], order: ["position"] })
  const sorted = receipts.map(({ body }) => body).sort(compareReceipts)
  exported.push(...sorted.map((receipt): StoreRow => ({ table: "receipt", receipt })))
  exported.push(...(await rows.jobs.list(owned)).map((row): StoreRow => ({ table: "job", ...row })))
  return exported
}

async function sessionRows(rows: Rows, { key, owns }: OwnedSession, scope: StoreScope): Promise<readonly StoreRow[]> {
  const [row] = await rows.select("sessions", sessionOf(key), { columns: ["version"] })
  const turns = owns === "part" && "user" in scope ? await spokenTurns(rows, key, scope.user) : undefined
  const state = turns === undefined ? await rows.readState(key) : {}
  const written = withoutMessages(await wholeMessages(rows, key), ({ turnId }) => turns !== undefined && !turns.has(turnId))
  const spoken = renumbered(written).map(
    ({ message, follows }): StoreRow => ({
      table: "message",
      ...sessionOf(key),
      message,
      ...(follows === undefined ? {} : { follows }),
    }),
  )
  const own = { columns: ["id", "body"], order: ["position"] } as const
  const notes = turns === undefined ? await rows.select("notes", sessionOf(key), own) : []
  const held = await heldBlobs(rows, key)
  const named = turns && held.length > 0 ? await namedBlobs(rows, key, turns) : undefined
  return [
    { table: "session", ...sessionOf(key), version: row?.version ?? 0, state },
    ...spoken,
    ...notes.map(({ id, body }): StoreRow => ({ table: "note", ...sessionOf(key), id, ...(body && { note: body }) })),
    ...held.filter((id) => named?.has(id) ?? true).map((id): StoreRow => ({ table: "blob", ...sessionOf(key), id })),
  ]
}

async function memoryRows(rows: Rows, owned: OwnedKeys): Promise<readonly StoreRow[]> {
  const { agent } = owned.scope
  const memories = await rows.select("memories", whereOwned(owned), { columns: ["hash", ...memoryColumns] })
  const ofMemories = { agent, memory_id: { within: valuesOf("memories", "id", whereOwned(owned)) } }
  const vectors = Map.groupBy(await rows.select("vectors", ofMemories), ({ memory_id }) => memory_id)
  return memories
    .map((row) => ({ memory: memoryOf(row), hash: row.hash }))
    .sort(byTime)
    .flatMap(({ memory, hash }): readonly StoreRow[] => [
      { table: "memory", hash, memory },
      ...(vectors.get(memory.id) ?? [])
        .sort((a, b) => compareTexts([a.model], [b.model]))
        .map(({ model, vector }): StoreRow => {
          return { table: "vector", agent, memoryId: memory.id, model, values: bytesToText(vector) }
        }),
    ])
}

/** The users of whom the scope owns statements, each followed by these statements. */
async function userRows(rows: Rows, scope: StoreScope): Promise<readonly StoreRow[]> {
  const { agent } = scope
  const user_id = "user" in scope ? scope.user : undefined
  const conversation = "conversation" in scope ? scope.conversation : undefined
  const order = { columns: ["user_id", "body"], order: ["position"] } as const
  const owned = await rows.select("statements", { agent, user_id, conversation }, order)
  const users = Map.groupBy(owned, (row) => row.user_id)
  const versions = await rows.select("users", { agent, user_id })
  return versions
    .filter((row) => users.has(row.user_id))
    .sort((a, b) => compareTexts([a.user_id], [b.user_id]))
    .flatMap(({ user_id: user, version }): readonly StoreRow[] => [
      { table: "user", agent, user, version },
      ...(users.get(user) ?? []).map(({ body }): StoreRow => ({ table: "statement", agent, user, statement: body })),
    ])
}
