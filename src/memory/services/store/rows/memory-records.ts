import type { ServiceKey } from "../../../../core/conversation.ts"
import { frozenJson } from "../frozen-json.ts"
import { saidAgain, usedAgain } from "../memory-again.ts"
import { type MemoryRecords, type StoredMemory, type StoredVector, turnGone } from "../records.ts"
import { vectorBytes, vectorValues } from "../store-row.ts"
import { lockOwner, lockUsers, type MemoryNumbers, markChanged, numbersOfAll, scopeOfKey, scopeState } from "./memory-scopes.ts"
import { checkKey, type RowTables, sessionOf, userOf } from "./row-tables.ts"
import { type Conditions, inPages, type RowDatabase, type Rows, valuesOf } from "./rows.ts"
import { expectTurn } from "./session-rows.ts"

/** Memories in tables, but for forgetting them, which reaches other tables, and for copies of indexes. */
export function createMemoryRecords(over: RowDatabase): Omit<MemoryRecords, "forget" | "keepIndex" | "readIndex"> {
  const { read, readOnce, write } = over
  return {
    put: async (given, options) => {
      const memory = frozenJson(given, "memory")
      return write((rows) => putMemory(rows, memory, options))
    },
    markUsed: (ids, options) => write((rows) => markUsed(rows, ids, options)),
    get: (id, key) => readOnce(async (rows) => (await memoriesOf(rows, key, [id]))[0]),
    // The scope is read first: of what changes after that, the next call tells.
    changes: (key, { after, limit }) =>
      readOnce(async (rows) => {
        const { epoch, sequence: newest } = await scopeState(rows, key)
        const reset = after !== undefined && after.epoch !== epoch
        const from = after === undefined || reset ? 0 : after.sequence
        const number = key.audience === "private" ? "user_sequence" : "group_sequence"
        const wanted = { ...scopeOfKey(key).memories, [number]: { above: from } }
        const page = { columns: [...memoryColumns, number], order: [number], limit: Math.max(0, limit) } as const
        const found = newest > from ? await rows.select("memories", wanted, page) : []
        const sequence = found.at(-1)?.[number] ?? from
        return { cursor: { epoch, sequence }, reset, memories: found.map(memoryOf) }
      }),
    recent: (key, { limit, kinds }) =>
      readOnce(async (rows) => {
        const wanted = { ...holding(key), kind: kinds && { in: kinds } }
        const order = { order: ["at_ms", "id"], isDescending: true, limit: Math.max(0, limit) }
        return (await rows.select("memories", wanted, { columns: memoryColumns, ...order })).map(memoryOf).reverse()
      }),
    putVectors: (vectors, key) => write((rows) => putVectors(rows, vectors, key)),
    vectors: (ids, model, key) => read((rows) => readVectors(rows, ids, model, key)),
    withoutVector: (model, key, limit) =>
      readOnce(async (rows) => {
        const known = valuesOf("vectors", "memory_id", { agent: key.agent, model })
        const order = { order: ["at_ms", "id"], limit: Math.max(0, limit) }
        const wanted = { ...holding(key), id: { outside: known } }
        return (await rows.select("memories", wanted, { columns: memoryColumns, ...order })).map(memoryOf)
      }),
  }
}

/** The columns of which {@link memoryOf} makes a memory. */
export const memoryColumns = ["body", "superseded_by"] as const

/** The memory of a row. */
export function memoryOf({ body, superseded_by }: Pick<RowTables["memories"], (typeof memoryColumns)[number]>): StoredMemory {
  return superseded_by === null ? body : Object.freeze({ ...body, supersededBy: superseded_by })
}

/** The conditions that a memory of the key's scope is not superseded. */
function holding(key: ServiceKey): Conditions<"memories"> {
  return { ...scopeOfKey(key).memories, superseded_by: null }
}

/** The memories of these ids that lie in the key's scope. */
export async function memoriesOf(rows: Rows, key: ServiceKey, ids: Iterable<string>): Promise<StoredMemory[]> {
  const found: StoredMemory[] = []
  for (const page of inPages(new Set(ids))) {
    const wanted = { ...scopeOfKey(key).memories, id: page.length === 1 ? page[0] : { in: page } }
    found.push(...(await rows.select("memories", wanted, { columns: memoryColumns })).map(memoryOf))
  }
  return found
}

/** Stores a memory once, and marks the memories that it supersedes. */
async function putMemory(
  rows: Rows,
  memory: StoredMemory,
  { hash, supersedes = [], ofTurn = false, key }: Parameters<MemoryRecords["put"]>[1],
): ReturnType<MemoryRecords["put"]> {
  checkKey(memory, key)
  if (ofTurn) await expectOrigin(rows, memory)
  const { agent, id } = memory
  const users = await lockOwner(rows, memory)
  if ((await rows.select("memories", { agent, id }, { columns: ["id"] })).length > 0) return { stored: false, id }
  const [same] = await besides(rows, memory, { hash }, 1)
  if (same) {
    const again = saidAgain(same, memory.atMs)
    const changed = again === same ? [] : [{ memory: same, body: frozenJson(again, "memory") }]
    if (changed.length > 0) await markChanged(rows, changed, await numbersOfAll(rows, [same], users))
    return { stored: false, id: same.id }
  }
  const old = supersedes.length === 0 ? [] : await besides(rows, memory, { id: { in: supersedes } })
  const numbers = await numbersOfAll(rows, [...old, memory], users)
  if (old.length > 0) {
    const ids = old.map((each) => each.id)
    await rows.update("memories", { ...userOf(memory), id: { in: ids } }, { superseded_by: id })
    const changed = old.map((each) => ({ memory: each }))
    await markChanged(rows, changed, numbers)
  }
  await rows.insert("memories", [memoryRow(memory, hash, numbers.get(id))])
  return { stored: true, id }
}

/** Throws `aborted` if the turn of a memory, or a memory that it rests on, is gone. They then stay until the transaction ends. */
async function expectOrigin(rows: Rows, { agent, sources, turnId, ...key }: StoredMemory): Promise<void> {
  await expectTurn(rows, { ...key, agent }, turnId)
  const wanted = [...new Set(sources)]
  if (wanted.length === 0) return
  const kept = await rows.select("memories", { agent, id: { in: wanted } }, { columns: ["id"] })
  if (kept.length < wanted.length) throw turnGone(turnId)
}

const unnumbered: MemoryNumbers = { user_sequence: 0, group_sequence: null }

/** A memory as a row. */
export function memoryRow(memory: StoredMemory, hash: string, numbers: MemoryNumbers | undefined) {
  const { id, kind, turnId, atMs, supersededBy, ...rest } = memory
  const body = Object.freeze(supersededBy === undefined ? memory : withoutSuperseded(memory))
  const said = { id, kind, turn_id: turnId, hash, at_ms: atMs, superseded_by: supersededBy ?? null }
  return { ...sessionOf(rest), ...userOf(rest), ...said, ...unnumbered, ...numbers, body }
}

function withoutSuperseded({ supersededBy: _, ...memory }: StoredMemory): StoredMemory {
  return memory
}

/** The memories that hold and belong to the same user, in private or in the same group, oldest first. */
async function besides(rows: Rows, memory: StoredMemory, where: Conditions<"memories">, limit?: number) {
  const { audience, conversation } = memory
  const group = audience === "group" ? { conversation } : {}
  const held = { ...userOf(memory), superseded_by: null, audience, ...group, ...where }
  return (await rows.select("memories", held, { columns: memoryColumns, order: ["user_sequence"], limit })).map(memoryOf)
}

/** Notes that memories of the key's scope were used at a moment. */
async function markUsed(
  rows: Rows,
  ids: readonly string[],
  { atMs, key }: Parameters<MemoryRecords["markUsed"]>[1],
): Promise<void> {
  // All users are locked before any group, in one order; then nobody else changes these rows, so they are read again.
  const found = await memoriesOf(rows, key, ids)
  if (found.length === 0) return
  const owners = found.map(({ user }) => user)
  const users = await lockUsers(rows, key.agent, owners)
  const used = usedOf(await memoriesOf(rows, key, ids), atMs, users)
  const memories = used.map(({ memory }) => memory)
  await markChanged(rows, used, await numbersOfAll(rows, memories, users))
}

/** The memories of locked users that a use at a moment changes, with their new bodies. */
export function usedOf(memories: readonly StoredMemory[], atMs: number, users: ReadonlyMap<string, number>) {
  return memories.flatMap((memory) => {
    const used = usedAgain(memory, atMs)
    return used === memory || !users.has(memory.user) ? [] : [{ memory, body: Object.freeze(withoutSuperseded(used)) }]
  })
}

/** Stores vectors of memories in the key's scope and marks these memories as changed. */
async function putVectors(rows: Rows, vectors: readonly StoredVector[], key: ServiceKey): Promise<void> {
  const ids = vectors.map(({ memoryId }) => memoryId)
  const memories = await memoriesOf(rows, key, ids)
  const seen = new Map(memories.map((memory) => [memory.id, memory]))
  // All users are locked before any group, in one order: so two transactions never wait for each other.
  const users = await lockUsers(rows, key.agent, new Set(memories.map(({ user }) => user)))
  const known = vectors.filter(({ memoryId }) => seen.has(memoryId))
  for (const vector of known) await putVector(rows, key.agent, vector)
  const changed = known.flatMap(({ memoryId }) => seen.get(memoryId) ?? [])
  const changes = changed.map((memory) => ({ memory }))
  await markChanged(rows, changes, await numbersOfAll(rows, changed, users))
}

/** Adds a vector, or replaces it. */
export async function putVector(rows: Rows, agent: string, { memoryId, model, values }: StoredVector): Promise<void> {
  const row = { agent, memory_id: memoryId, model, dimensions: values.length, vector: vectorBytes(values) }
  await rows.put("vectors", [row], ["dimensions", "vector"])
}

/** The vectors of these memories, as far as they lie in the key's scope, in the order of the ids. */
async function readVectors(rows: Rows, ids: readonly string[], model: string, key: ServiceKey) {
  const found: StoredVector[] = []
  for (const page of inPages(ids)) {
    const seen = valuesOf("memories", "id", { ...scopeOfKey(key).memories, id: { in: page } })
    const vectors = await rows.select("vectors", { agent: key.agent, model, memory_id: { within: seen } })
    const byId = new Map(vectors.map((row) => [row.memory_id, row]))
    for (const memoryId of page) {
      const row = byId.get(memoryId)
      if (row) found.push({ memoryId, model, values: vectorValues(row.vector) })
    }
  }
  return found
}
