import type { ServiceKey } from "../../../../core/conversation.ts"
import { frozenJson } from "../frozen-json.ts"
import { saidAgain } from "../memory-again.ts"
import { type ReceiptRecords, type StoredMemory, turnGone, type WorkOutcome } from "../records.ts"
import { memoriesOf, memoryRow, usedOf } from "./memory-records.ts"
import { lockUsers, markChanged, numbersOfAll } from "./memory-scopes.ts"
import { putReceipts } from "./receipt-records.ts"
import { checkKey, ownerOf, rowId, sessionOf, userOf } from "./row-tables.ts"
import { inPages, type RowDatabase, type Rows } from "./rows.ts"
import { expectTurn } from "./session-rows.ts"
import { insertStatements, statementsFor } from "./user-records.ts"

type TurnWork = Parameters<NonNullable<ReceiptRecords["putWork"]>>[0]
type WorkMemories = NonNullable<TurnWork["memories"]>

/** Writes what the background work of a turn leaves, in one transaction of about twenty statements. */
export function putWorkOver({ write }: RowDatabase): NonNullable<ReceiptRecords["putWork"]> {
  return (given, { turnId, key, receiptsOf }) => {
    const memories = (given.memories ?? []).map((each) => ({ ...each, memory: frozenJson(each.memory, "memory") }))
    for (const { memory, key: owner } of memories) checkKey(memory, owner)
    return write(async (rows) => {
      await expectTurns(rows, key, [turnId, ...memories.map(({ memory }) => memory.turnId)])
      const outcome: WorkOutcome = {
        memories: await keepMemories(rows, key, { memories, used: given.used }),
        statements: given.statementsOf ? await keepStatements(rows, { turnId, key }, given.statementsOf) : 0,
      }
      const receipts = frozenJson(receiptsOf(outcome), "receipts")
      await putReceipts(rows, receipts)
      return receipts
    })
  }
}

/** Throws `aborted` unless the history has messages of all these turns. They then stay until the transaction ends. */
async function expectTurns(rows: Rows, key: ServiceKey, turnIds: readonly string[]): Promise<void> {
  const [own = "", ...others] = new Set(turnIds)
  await expectTurn(rows, key, own)
  for (const page of inPages(others)) {
    const named = { ...sessionOf(key), turn_id: { in: page } }
    const found = new Set((await rows.select("messages", named, { columns: ["turn_id"] })).map(({ turn_id }) => turn_id))
    for (const turnId of page) if (!found.has(turnId)) throw turnGone(turnId)
  }
}

/** Marks the used memories and stores the new ones. All users are locked before any group, in one order. */
async function keepMemories(
  rows: Rows,
  key: ServiceKey,
  { memories, used }: { readonly memories: WorkMemories; readonly used: TurnWork["used"] },
): Promise<WorkOutcome["memories"]> {
  const isPrivate = key.audience === "private"
  const before = used === undefined || isPrivate ? [] : await memoriesOf(rows, key, used.ids)
  const owners = [...memories.map(({ memory }) => memory), ...before].map(({ user }) => user)
  if (used !== undefined && isPrivate) owners.push(key.user)
  if (owners.length === 0) return []
  const users = await lockUsers(rows, key.agent, owners)
  const changed = used === undefined ? [] : usedOf(await memoriesOf(rows, key, used.ids), used.atMs, users)
  const { fresh, again, outcomes } = await sorted(rows, memories)
  const bodies = new Map(changed.map((each) => [each.memory.id, each]))
  for (const { id, owner, atMs } of again) {
    const memory = bodies.get(id)?.memory ?? (await memoriesOf(rows, owner, [id]))[0]
    const body = memory && saidAgain(bodies.get(id)?.body ?? memory, atMs)
    if (memory && body !== memory) bodies.set(id, { memory, body: frozenJson(body as StoredMemory, "memory") })
  }
  const touched = [...bodies.values(), ...fresh].map(({ memory }) => memory)
  const numbers = await numbersOfAll(rows, touched, users)
  await markChanged(rows, [...bodies.values()], numbers)
  const added = fresh.map(({ memory, hash }) => memoryRow(memory, hash, numbers.get(memory.id)))
  await rows.insert("memories", added)
  return outcomes
}

/** Tells the memories that are new from those whose id or words are known, as {@link MemoryRecords.put} does one by one. */
async function sorted(rows: Rows, memories: WorkMemories) {
  const known = await knownOf(rows, memories)
  const fresh = new Map<string, { memory: StoredMemory; hash: string }>()
  const again: { readonly id: string; readonly owner: ServiceKey; readonly atMs: number }[] = []
  const outcomes = memories.map(({ memory, hash, key }) => {
    const words = rowId(ownerOf(memory), hash)
    const id = known.get(memory.id) ?? known.get(words)
    if (id === undefined) {
      fresh.set(memory.id, { memory, hash })
      known.set(memory.id, memory.id).set(words, memory.id)
      return { stored: true, id: memory.id }
    }
    const first = fresh.get(id)
    if (first !== undefined && id !== memory.id) first.memory = frozenJson(saidAgain(first.memory, memory.atMs), "memory")
    else if (id !== memory.id) again.push({ id, owner: key, atMs: memory.atMs })
    return { stored: false, id }
  })
  return { fresh: [...fresh.values()], again, outcomes }
}

/** The ids of stored memories by their ids, and by the owner and hash of those that hold. */
async function knownOf(rows: Rows, memories: WorkMemories): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  const columns = ["id", "user_id", "audience", "conversation", "agent", "hash", "superseded_by"] as const
  for (const page of inPages(memories)) {
    const agent = page[0]?.memory.agent ?? ""
    const ids = { agent, id: { in: page.map(({ memory }) => memory.id) } }
    const user_id = { in: [...new Set(page.map(({ memory }) => memory.user))] }
    const words = { agent, user_id, superseded_by: null, hash: { in: page.map(({ hash }) => hash) } }
    for (const row of await rows.select("memories", [ids, words], { columns, order: ["user_sequence"] })) {
      known.set(row.id, row.id)
      const owner = rowId(ownerOf({ ...row, user: row.user_id }), row.hash)
      if (row.superseded_by === null && !known.has(owner)) known.set(owner, row.id)
    }
  }
  return known
}

/** Adds the statements that are new beside those that the key may see, under the user's lock. Returns how many. */
async function keepStatements(
  rows: Rows,
  { turnId, key }: { readonly turnId: string; readonly key: ServiceKey },
  statementsOf: NonNullable<TurnWork["statementsOf"]>,
): Promise<number> {
  const { version } = await rows.lockOrMake("users", { ...userOf(key), version: 0 })
  const columns = ["turn_id", "body", "position"] as const
  const found = await rows.select("statements", statementsFor(key), { columns, order: ["position"] })
  if (found.some((row) => row.turn_id === turnId)) return 0
  const statements = frozenJson(statementsOf(found.map(({ body }) => body)), "statements")
  if (statements.length === 0) return 0
  // A group's key sees a part of the statements only.
  await insertStatements(rows, statements, key, key.audience === "private" ? (found.at(-1)?.position ?? -1) : undefined)
  await rows.update("users", userOf(key), { version: version + 1 })
  return statements.length
}
