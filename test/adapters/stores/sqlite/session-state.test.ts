import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { storedBody } from "../../../../src/adapters/stores/sql/row-body.ts"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { HistoryMessage, SessionKey } from "../../../../src/core/conversation.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const key: SessionKey = { agent: "fay", conversation: "chat", audience: "group" }

const eventOf = (at: number) => ({ id: `e${at}`, text: `What happened the time that was number ${at}, told in a sentence.` })

const stateOf = (events: readonly object[], turn: number) => ({ turns: turn, hooks: { context: { events } } })

function said(user: string, turn: number): HistoryMessage {
  return { role: "user", text: `turn ${turn}`, speaker: { id: user, name: user }, turnId: `turn ${turn}`, atMs: turn }
}

/** Commits turns that each add an event. Returns the version after them. */
async function talk(store: Store, turns: number, { user = "ann", first = 200 } = {}): Promise<number> {
  for (let turn = 0; turn < turns; turn++) {
    const record = await store.load(key)
    const context = (record?.state.hooks as { readonly context: { readonly events: readonly object[] } } | undefined)?.context
    const events = context?.events ?? Array.from({ length: first }, (_, at) => eventOf(at))
    const version = record?.version ?? 0
    const state = stateOf([...events, eventOf(events.length)], version + 1)
    await store.commit(key, { expectVersion: version, append: [said(user, version)], state, jobs: [] })
  }
  return (await store.load(key))?.version ?? 0
}

/** The session's state as the file holds it. */
function inFile(file: string) {
  const raw = new DatabaseSync(file, { readOnly: true })
  const whole = raw
    .prepare("select whole_state from sessions")
    .all()
    .map(({ whole_state }) => String(whole_state).length)
  const changes = raw
    .prepare("select body from state_changes order by version")
    .all()
    .map(({ body }) => String(body).length)
  raw.close()
  return { whole: whole[0] ?? 0, changes }
}

async function texts(store: Store): Promise<string> {
  const lines: string[] = []
  for await (const line of store.export({ agent: "fay" })) lines.push(line)
  return JSON.stringify([await store.load(key), lines])
}

describe("the state of a session", () => {
  test("is written as what a turn changed in it, and whole again before the changes outgrow it", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const store = await openSqliteStore(file)
    await talk(store, 20)
    const { whole, changes } = inFile(file)
    expect(changes).toHaveLength(19)
    expect(Math.max(...changes)).toBeLessThan(250)
    expect(whole).toBeGreaterThan(16_000)
    await talk(store, 130)
    const later = inFile(file)
    expect(later.whole).toBeGreaterThan(whole)
    expect(later.changes.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(later.whole)
    expect(await store.load(key)).toMatchObject({ version: 150, state: { turns: 150 } })
    const expected = stateOf(
      Array.from({ length: 350 }, (_, at) => eventOf(at)),
      150,
    )
    const other = await openSqliteStore(file)
    expect((await other.load(key))?.state).toEqual(expected)
    expect(await texts(other)).toBe(await texts(store))
    await Promise.all([store.close(), other.close()])
  })

  test("small or not known to the process that writes it, is written whole, and nothing of before is left", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const [here, there] = [await openSqliteStore(file), await openSqliteStore(file)]
    await talk(here, 3)
    expect(inFile(file).changes).toHaveLength(2)
    const state = stateOf(
      Array.from({ length: 400 }, (_, at) => eventOf(at)),
      4,
    )
    await there.commit(key, { expectVersion: 3, append: [], state, jobs: [] })
    expect(inFile(file).changes).toEqual([])
    await here.commit(key, { expectVersion: 4, append: [], state: { turns: 5 }, jobs: [] })
    await talk(here, 3, { first: 3 })
    expect(inFile(file).changes).toEqual([])
    expect((await there.load(key))?.state).toEqual(stateOf([0, 1, 2, 3, 4, 5].map(eventOf), 8))
    await Promise.all([here.close(), there.close()])
  })

  test("keeps no change once a speaker of its group, or the whole conversation, is forgotten", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const store = await openSqliteStore(file)
    await talk(store, 2, { user: "bob" })
    const version = await talk(store, 3)
    expect(inFile(file).changes).toHaveLength(4)
    await store.forget({ agent: "fay", user: "ann" })
    expect(inFile(file)).toEqual({ whole: storedBody({ turns: version }).length, changes: [] })
    expect((await store.load(key))?.state).toEqual({ turns: version })
    await talk(store, 3)
    expect(inFile(file).changes.length).toBeGreaterThan(0)
    await store.forget({ agent: "fay", conversation: "chat" })
    expect(inFile(file)).toEqual({ whole: 0, changes: [] })
    expect(await store.check()).toMatchObject({ ok: true })
    await store.close()
  })

  test("of an older file, which has no changes yet, goes on as it was", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const old = await openSqliteStore(file)
    await talk(old, 1)
    await old.close()
    const raw = new DatabaseSync(file)
    raw.exec(
      "drop table state_changes; alter table vectors drop column checksum; alter table sessions rename column whole_state to state",
    )
    raw.exec(
      "drop table blobs; drop table session_blobs; drop table aside_messages; alter table sessions rename column next_position to messages",
    )
    raw.exec("drop table index_copies; alter table memory_scopes rename column last_deletion to epoch")
    raw.exec("update schema_versions set version = 1 where part = 'store'")
    raw.close()
    const store = await openSqliteStore(file)
    expect(await talk(store, 2)).toBe(3)
    expect(inFile(file).changes).toHaveLength(2)
    await store.close()
  })

  test("is kept from a process of an older version that still runs: what that knows as the whole state is no longer there", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const store = await openSqliteStore(file)
    await talk(store, 2)
    const raw = new DatabaseSync(file)
    expect(() => raw.exec('select "state" from sessions')).toThrow("no such column")
    expect(() => raw.exec(`update sessions set "state" = '{}'`)).toThrow("no such column")
    raw.exec("alter table sessions rename column whole_state to newer_state")
    const changed = expect.objectContaining({ code: "store", hint: expect.stringContaining("start it again with that version") })
    await expect(talk(store, 1)).rejects.toEqual(changed)
    await expect(store.post(key, { id: "note", owner: "hook", payload: {} })).rejects.toEqual(changed)
    raw.exec("alter table sessions rename column newer_state to whole_state")
    raw.close()
    expect(await talk(store, 1)).toBe(3)
    await store.close()
  })
})

test("a search for a speaker's messages reads the rows of that speaker only", async () => {
  const asked: string[] = []
  const store = await openSqliteStore(join(tempFolder(), "store.sqlite"), {
    log: ({ query: { sql, parameters } }) => void asked.push(`${sql} ${JSON.stringify(parameters)}`),
  })
  await store.messages(key, { speaker: "ann", limit: 3 })
  const select = asked.find((statement) => statement.includes('from "messages"'))
  expect(select).toMatch(/"speaker_id" = .* or "speaker_name" = .*"ann","ann"/u)
  await store.close()
})
