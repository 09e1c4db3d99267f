import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import type { SqliteStore } from "../../../../src/adapters/stores/database-store.ts"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { collect } from "../../../support/collect.ts"
import { shortRuns } from "../../../support/short-runs.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { fillBodies, keyOf } from "../filled-store.ts"

const keys = [keyOf("a"), keyOf("b"), { ...keyOf("c"), agent: "gil" }]
const bytes = Uint8Array.from([1, 2, 3])

/** Conversations of two agents, with rows of every kind that a repair knows, and bytes that two of them hold. */
async function fill(store: SqliteStore): Promise<void> {
  await fillBodies(store, keys)
  const [first, second, third] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]]
  const said = { role: "user" as const, speaker: { id: "user-a", name: "A" }, atMs: 5 }
  const append = ["t3", "t4"].map((turnId) => ({ ...said, turnId, text: turnId }))
  await store.commit(first, { expectVersion: 2, append, state: { at: 3 }, jobs: [] })
  await store.commit(first, { expectVersion: 3, append: [], state: { at: 4 }, jobs: [], after: "t2" })
  for (const key of [first, second, third]) await store.blobs.put(bytes, key)
  const insight = {
    ...first,
    id: "insight",
    kind: "insight",
    text: "likes tea",
    turnId: "t1",
    turn: 0,
    atMs: 2,
    sources: ["memory-a"],
  }
  await store.memories.put({ ...insight, speaker: said.speaker } as never, { hash: "insight", key: first })
}

/** Puts a text into a column of the rows that meet a condition. */
function damage(file: string, table: string, column: string, where: string): void {
  const database = new DatabaseSync(file)
  const text = column === "bytes" || column === "vector" ? Buffer.from("00ff", "hex") : "{"
  const { changes } = database.prepare(`update ${table} set ${column} = ? where ${where}`).run(text)
  database.close()
  if (Number(changes) === 0) throw new Error(`no row of ${table} meets ${where}`)
}

const inA = "conversation = 'a'"
const damages = [
  ["sessions", "whole_state", inA],
  ["state_changes", "body", "conversation = 'b'"],
  ["messages", "body", `${inA} and position = 0`],
  ["messages", "body", "agent in ('fay', 'gil')"],
  ["aside_messages", "body", `${inA} and turn_id = 't3'`],
  ["notes", "body", inA],
  ["memories", "body", "id = 'memory-a'"],
  ["memories", "body", "id in ('memory-b', 'memory-c', 'insight')"],
  ["statements", "body", "user_id = 'user-a'"],
  ["receipts", "body", inA],
  ["jobs", "body", "id = 'job-a'"],
  ["vectors", "vector", "memory_id = 'memory-a'"],
  ["blobs", "bytes", "agent = 'fay'"],
] as const

test.each(["fay"])("doctor --repair of %s's store: what is told, what is moved, and what is left of the rest", async (agent) => {
  const shown: string[] = []
  for (const [table, column, where] of damages) {
    const folder = tempFolder()
    const [file, aside] = [join(folder, "store.sqlite"), join(folder, "aside.jsonl")]
    const before = await openSqliteStore(file)
    await fill(before)
    const whole = await everything(before, agent)
    const cursors = await Promise.all(keys.map(async (key) => (await before.memories.changes(key, { limit: 99 })).cursor))
    await before.close()
    damage(file, table, column, where)
    const store = await openSqliteStore(file, { onWarning: () => undefined })
    const { ok, problems } = await store.check()
    const refused = await everything(store, agent).catch((error) => error)
    const moved = await store.repair(aside)
    expect(readFileSync(aside, "utf8")).toBe(moved.map((row) => `${JSON.stringify(row)}\n`).join(""))
    expect(statSync(aside).mode & 0o777).toBe(0o600)
    expect(ok).toBe(false)
    const left = await everything(store, agent)
    const resets = await Promise.all(
      keys.map(async (key, at) => (await store.memories.changes(key, { after: cursors[at], limit: 99 })).reset),
    )
    const versions = await Promise.all(keys.map(async (key) => (await store.users.load(key)).version))
    shown.push(
      `## ${table} where ${where}\n`,
      ...problems.map((problem) => `told: ${problem}`),
      `export: ${PromptStrataError.isInstance(refused) ? `${refused.code} ${JSON.stringify(refused.evidence)}` : "whole"}`,
      ...moved.map((row) => `moved: ${JSON.stringify(row)}`),
      ...whole.filter((line) => !left.includes(line)).map((line) => `- ${line}`),
      ...left.filter((line) => !whole.includes(line)).map((line) => `+ ${line}`),
      `readers of changes begin anew: ${resets.join(", ")}; versions of users: ${versions.join(", ")}`,
      `then: ${JSON.stringify(await store.check())}\n`,
    )
    await store.close()
  }
  await expect(shown.map(shortRuns).join("\n")).toMatchFileSnapshot("__snapshots__/repaired-rows.md")
})

async function everything(store: SqliteStore, agent: string): Promise<readonly string[]> {
  return [...(await collect(store.export({ agent }))), ...(await collect(store.export({ agent: "gil" })))]
}

test("rows that something else left without their owners are told, each table with its number and what to do", async () => {
  const file = join(tempFolder(), "store.sqlite")
  const store = await openSqliteStore(file)
  await fill(store)
  const change = async (sql: string) => {
    const database = new DatabaseSync(file)
    database.exec(`pragma foreign_keys = off; ${sql}`)
    database.close()
    return [sql, ...(await store.check()).problems.toSorted()]
  }
  expect([
    await change("update memories set user_sequence = user_sequence + 9 where id = 'memory-b'"),
    await change("update memories set user_sequence = user_sequence - 9 where id = 'memory-b'"),
    await change("update aside_messages set follows = 99 where turn_id = 't3'"),
    await change("delete from users where user_id = 'user-a'"),
    await change("delete from sessions where agent = 'gil'"),
    await change("delete from sessions"),
  ]).toMatchSnapshot()
  await store.close()
})

test("doctor --repair writes to a new file only, and says what to do", async () => {
  const folder = tempFolder({ "aside.jsonl": "mine" })
  const [file, aside] = [join(folder, "store.sqlite"), join(folder, "aside.jsonl")]
  const store = await openSqliteStore(file)
  const refused = await store.repair(aside).catch((error) => error)
  expect(refused).toMatchObject({ code: "store", evidence: { path: aside } })
  expect(refused.message.replaceAll(folder, "")).toBe(
    "Expected to write damaged rows to a new file, could not make /aside.jsonl: EEXIST: file already exists, open '/aside.jsonl'.\n" +
      "Nothing was changed. Name a file that does not exist.",
  )
  expect(readFileSync(aside, "utf8")).toBe("mine")
  expect([await store.repair(join(folder, "none.jsonl")), existsSync(join(folder, "none.jsonl"))]).toEqual([[], false])
  await store.close()
})

test.each([2, 3, 4])("a damaged change of a state, the one of version %d, goes with those behind it", async (damaged) => {
  const file = join(tempFolder(), "store.sqlite")
  const key = keyOf("a")
  const states: Record<string, unknown>[] = []
  const eventOf = (at: number) => ({ id: `e${at}`, text: `What happened at ${at}` })
  const filled = await openSqliteStore(file)
  for (let version = 0; version < 4; version++) {
    const last = (await filled.load(key))?.state as { readonly events: readonly object[] } | undefined
    const events = last ? [...last.events, eventOf(version)] : Array.from({ length: 500 }, (_, at) => eventOf(at))
    states.push({ turns: version, events })
    await filled.commit(key, { expectVersion: version, append: [], state: states[version] ?? {}, jobs: [] })
  }
  await filled.close()
  damage(file, "state_changes", "body", `version = ${damaged}`)
  const store = await openSqliteStore(file, { onWarning: () => undefined })
  const moved = await store.repair(join(tempFolder(), "aside.jsonl"))
  expect(moved.map(({ columns }) => columns.version)).toEqual([damaged])
  expect((await store.load(key))?.state).toEqual(states[damaged - 2])
  expect((await store.check()).problems).toEqual([])
  await store.close()
})
