import { join } from "node:path"
import type { CompiledQuery, LogEvent } from "kysely"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import type { StoredMemory } from "../../../../src/memory/services/store/records.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

/** The tables whose rows belong to a key. The other tables hold versions, jobs and leases. */
const keyedTables = [
  "sessions",
  "state_changes",
  "messages",
  "aside_messages",
  "notes",
  "blobs",
  "session_blobs",
  "memories",
  "memory_scopes",
  "index_copies",
  "vectors",
  "users",
  "statements",
  "receipts",
]

/** The parts of a key that a statement about a table has to ask for: the agent, and one of these. */
const owners = {
  "their conversation": ["the conversation", "group:the conversation"],
  "their user": ["the user", "user:the user"],
}

/** The tables that a statement touches without asking for a key. */
function unkeyed({ sql, parameters }: CompiledQuery): readonly string[] {
  const tables = keyedTables.filter((table) => sql.includes(`"${table}"`))
  if (tables.length === 0) return []
  const faults: string[] = []
  if (!parameters.includes("the agent")) faults.push(`no agent: ${sql}`)
  // Names reach a statement only as parameters. It must bind the agent's value, not only name the column.
  if (!Object.values(owners).some((names) => names.some((name) => parameters.includes(name)))) faults.push(`no owner: ${sql}`)
  return faults
}

const key = (audience: ServiceKey["audience"]): ServiceKey => ({
  agent: "the agent",
  conversation: "the conversation",
  audience,
  user: "the user",
})

const memory = (id: string, audience: ServiceKey["audience"]): StoredMemory => ({
  ...key(audience),
  id,
  kind: "dialogue",
  text: id,
  speaker: { id: "the user", name: "Ann" },
  atMs: 1,
  turnId: "turn",
  turn: 0,
})

/** Runs every operation that takes a key, and returns all statements that the database received. */
async function statements(): Promise<readonly CompiledQuery[]> {
  const seen: CompiledQuery[] = []
  let isOpen = false
  const log = ({ query }: LogEvent): void => {
    if (isOpen) seen.push(query)
  }
  const store = await openSqliteStore(join(tempFolder(), "store.sqlite"), { log })
  isOpen = true
  for (const audience of ["private", "group"] as const) {
    const mine = key(audience)
    await store.post(mine, { id: "note", owner: "hook", payload: {} })
    await store.commit(mine, {
      expectVersion: 0,
      append: [{ role: "user", text: "hi", speaker: { id: "the user", name: "Ann" }, turnId: "turn", atMs: 1 }],
      state: {},
      jobs: [],
      taken: ["note"],
    })
    await store.append(mine, [{ role: "user", text: "heard", speaker: { id: "the user", name: "Ann" }, turnId: "t2", atMs: 1 }])
    await store.load(mine)
    await store.load(mine, { last: 1 })
    await store.messages(mine, { limit: 5, speaker: "Ann", containing: "h", fromMs: 0, beforeMs: 9, role: "user" })
    await store.commit(mine, { expectVersion: 1, append: [], state: {}, jobs: [], after: "turn" })
    await store.commit(mine, { expectVersion: 2, append: [], state: {}, jobs: [], after: "t2" })
    await store.branches(mine)
    const { id } = await store.blobs.put(new Uint8Array([1]), mine)
    await store.blobs.get(id, mine)
    await store.memories.put(memory(`old ${audience}`, audience), { hash: "old", key: mine })
    await store.memories.put(memory(`new ${audience}`, audience), { hash: "new", supersedes: [`old ${audience}`], key: mine })
    await store.memories.get(`old ${audience}`, mine)
    await store.memories.changes(mine, { limit: 5 })
    await store.memories.recent(mine, { limit: 5, kinds: ["dialogue"] })
    await store.memories.putVectors([{ memoryId: `new ${audience}`, model: "m", values: Float32Array.of(1) }], mine)
    await store.memories.vectors([`new ${audience}`], "m", mine)
    await store.memories.withoutVector("m", mine, 5)
    const { cursor } = await store.memories.changes(mine, { limit: 5 })
    for (const part of [1, 2]) {
      const parts = (async function* () {
        yield Uint8Array.of(part)
      })()
      await store.memories.keepIndex?.({ form: "f", cursor, parts }, mine)
    }
    await store.memories.readIndex?.(mine, { form: "f" })
    const { version } = await store.users.load(mine)
    const { conversation } = mine
    const statement = { name: "n", value: "v", confidence: 1, atMs: 1, turnId: audience, conversation, audience }
    await store.users.append([statement], { turnId: audience, expectVersion: version, key: mine })
    await store.receipts.put({ key: mine, turnId: "turn", kind: "k", outcome: "ok", attempt: 1, startedMs: 1, durationMs: 1 })
    await store.receipts.ofTurn("turn", mine)
    await store.receipts.ofTurns?.(["turn"], mine)
    await store.receipts.putWork?.(
      {
        used: { ids: [`new ${audience}`], atMs: 9 },
        memories: [{ memory: { ...memory(`made ${audience}`, audience), turnId: "t2" }, hash: "made", key: mine }],
        statementsOf: () => [{ ...statement, turnId: "t2" }],
      },
      {
        turnId: "t2",
        key: mine,
        receiptsOf: () => [{ key: mine, turnId: "t2", kind: "k", outcome: "ok", attempt: 1, startedMs: 1, durationMs: 1 }],
      },
    )
    await store.receipts.since(mine, 0)
  }
  isOpen = false
  await store.close()
  return seen
}

/** Statements that need no user or conversation: they name a row by an id that is unique in the agent, or are about the agent itself. */
const byIdAlone = [
  // A memory's id is unique in its agent, also under another user's key.
  /^select "id" from "memories" where "agent" = \? and "id" (= \?|in \(\?\))$/u,
  // The rows of the agent itself: its epoch, in which a first scope begins.
  /^insert into "memory_scopes"/u,
  // Bytes are kept once for each agent. Only a session that holds them by its key reads them.
  /^(update|insert into|select "bytes", "agent", "id" from) "blobs"/u,
  // By the id of a memory that was found by its key in the same transaction.
  /^insert into "vectors"/u,
]

describe("every statement", () => {
  test("carries the agent and its user or conversation, for every operation that takes a key", async () => {
    const seen = await statements()
    expect(seen.length).toBeGreaterThan(60)
    const faults = seen.flatMap((query) => {
      const found = unkeyed(query)
      const excused = byIdAlone.some((pattern) => pattern.test(query.sql)) && query.parameters.includes("the agent")
      return excused ? [] : found
    })
    expect(faults).toEqual([])
  })

  test("is found out where it does not", () => {
    const query = (sql: string, parameters: readonly unknown[]) => ({ sql, parameters }) as unknown as CompiledQuery
    expect(unkeyed(query('select * from "messages" where "agent" = ?', ["the agent"]))).toHaveLength(1)
    expect(unkeyed(query('select * from "memories" where "user_id" = ?', ["the user"]))).toHaveLength(1)
    expect(unkeyed(query('select * from "memories"', []))).toHaveLength(2)
    expect(unkeyed(query('select * from "memories" where …', ["the agent", "the user"]))).toEqual([])
  })
})
