import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { SqliteStore } from "../../../../src/adapters/stores/database-store.ts"
import { readBody, storedBody } from "../../../../src/adapters/stores/sql/row-body.ts"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { collect } from "../../../support/collect.ts"
import { runs } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { agent, fillBodies, keyOf } from "../filled-store.ts"

const row = { table: "messages", columns: { position: 3 } }
const damaged = [keyOf("a"), keyOf("b")] as const

async function filled(file: string): Promise<void> {
  const store = await openSqliteStore(file)
  await fillBodies(store, damaged)
  await store.close()
}

function damage(file: string, table: string, body: string, change: (text: string) => string): void {
  const database = new DatabaseSync(file)
  const owner = table === "statements" ? "user_id = 'user-a'" : "conversation = 'a'"
  const found = database.prepare(`select rowid, ${body} as body from ${table} where ${owner} limit 1`).get()
  database.prepare(`update ${table} set ${body} = ? where rowid = ?`).run(change(String(found?.body)), Number(found?.rowid))
  database.close()
}

const tables = [
  ["sessions", "whole_state"],
  ["state_changes", "body"],
  ["messages", "body"],
  ["notes", "body"],
  ["memories", "body"],
  ["statements", "body"],
  ["receipts", "body"],
  ["jobs", "body"],
] as const

/** The uses of a conversation's rows that a damaged one can fail. */
const reads = (store: SqliteStore, key: (typeof damaged)[number]) => [
  store.load(key),
  store.memories.changes(key, { limit: 9 }),
  store.users.load(key),
  store.receipts.ofTurn("t1", key),
]

describe("a body with a checksum", () => {
  test("reads as the value that was written, and no changed character of it does", () => {
    const flips = fc.tuple(fc.jsonValue(), fc.nat(), fc.integer({ min: 0, max: 6 }))
    fc.assert(
      fc.property(flips, ([value, place, bit]) => {
        const body = storedBody(value)
        expect(readBody(body, row)).toEqual(JSON.parse(JSON.stringify(value)))
        const at = place % body.length
        const flipped = body.slice(0, at) + String.fromCharCode(body.charCodeAt(at) ^ (1 << bit)) + body.slice(at + 1)
        expect(() => readBody(flipped, row)).toThrow(/Expected the body that was written.*(?:another checksum|broken JSON)/s)
      }),
      { numRuns: runs(500) },
    )
  })

  test("is JSON for readers that know no checksum, and a body of an older version has none", () => {
    expect(JSON.parse(storedBody({ a: 1 }))).toEqual({ a: 1 })
    expect(readBody('{"a":1}', row)).toEqual({ a: 1 })
  })
})

describe("a damaged row", () => {
  const changes = [
    ["broken JSON", (text: string) => text.slice(0, -20)],
    ["another value", (text: string) => text.replace(/[a-z0-9](?=[^a-z0-9]*$)/u, (letter) => (letter === "1" ? "3" : "1"))],
  ] as const
  test.each(tables.flatMap(([table, body]) => changes.map(([what, change]) => ({ table, body, what, change }))))(
    "of $table ($what) is found, named, and set aside with what is lost; other conversations go on",
    async ({ table, body, change }) => {
      const folder = tempFolder()
      const file = join(folder, "store.sqlite")
      await filled(file)
      damage(file, table, body, change)
      const store = await openSqliteStore(file, { onWarning: () => undefined })
      try {
        const { ok, problems } = await store.check()
        expect({ ok, problems }).toEqual({ ok: false, problems: [expect.stringMatching(new RegExp(`^${table} \\(agent fay`))] })
        expect(problems[0]).toContain("doctor --repair FILE")
        await expect(collect(store.export({ agent }))).rejects.toMatchObject({ code: "store", evidence: { table } })
        for (const read of await Promise.allSettled(reads(store, damaged[0])))
          if (read.status === "rejected") expect(read.reason).toMatchObject({ code: "store", evidence: { table } })
        await Promise.all(reads(store, damaged[1]))

        const aside = join(folder, "aside.jsonl")
        const moved = await store.repair(aside)
        expect(moved).toMatchObject([{ table, lost: expect.any(String) }])
        expect(readFileSync(aside, "utf8")).toBe(`${JSON.stringify(moved[0])}\n`)
        expect(await store.check()).toMatchObject({ ok: true, problems: [] })
        await Promise.all([...reads(store, damaged[0]), collect(store.export({ agent }))])
        const version = (await store.load(damaged[0]))?.version ?? 0
        await store.commit(damaged[0], { expectVersion: version, append: [], state: {}, jobs: [] })
      } finally {
        await store.close()
      }
    },
  )

  test("of vectors is found by any flipped bit, named, and set aside, so that the vector is made again", async () => {
    const folder = tempFolder()
    const file = join(folder, "store.sqlite")
    await filled(file)
    const database = new DatabaseSync(file)
    const { vector } = database.prepare("select vector from vectors where memory_id = 'memory-a'").get() as { vector: Uint8Array }
    const write = (bytes: Uint8Array) => database.prepare("update vectors set vector = ? where memory_id = 'memory-a'").run(bytes)
    const store = await openSqliteStore(file)
    const [key] = damaged
    for (let bit = 0; bit < vector.length * 8; bit++) {
      write(vector.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)))
      expect((await store.check()).problems).toEqual([
        expect.stringMatching(/^vectors \(agent fay, model m, memory_id memory-a\)/),
      ])
    }
    database.close()
    await expect(collect(store.export({ agent }))).rejects.toMatchObject({ code: "store", evidence: { table: "vectors" } })
    await expect(store.memories.vectors(["memory-a"], "m", key)).rejects.toMatchObject({ evidence: { table: "vectors" } })
    expect(await store.repair(join(folder, "aside.jsonl"))).toMatchObject([{ table: "vectors" }])
    expect(await store.check()).toMatchObject({ ok: true })
    expect(await store.memories.withoutVector("m", key, 9)).toMatchObject([{ id: "memory-a" }])
    await store.close()
  })

  test("that is a job keeps no other conversation's jobs from running, and is told once", async () => {
    const file = join(tempFolder(), "store.sqlite")
    await filled(file)
    damage(file, "jobs", "body", () => "{")
    const warnings: string[] = []
    const store = await openSqliteStore(file, { onWarning: (message) => warnings.push(message) })
    const done: string[] = []
    await store.jobs.start({ memory: async ({ id }) => void done.push(id) })
    await store.jobs.idle()
    await store.jobs.idle()
    expect(done).toEqual(["job-b"])
    expect(warnings).toEqual([expect.stringContaining("jobs (id job-a)")])
    await store.close()
  })

  test("is not set aside into a file that exists, and no file is made when nothing is damaged", async () => {
    const folder = tempFolder()
    const file = join(folder, "store.sqlite")
    await filled(file)
    const store = await openSqliteStore(file)
    await expect(store.repair(file)).rejects.toMatchObject({ code: "store", evidence: { path: file } })
    expect(await store.repair(join(folder, "aside.jsonl"))).toEqual([])
    expect(() => readFileSync(join(folder, "aside.jsonl"))).toThrow("ENOENT")
    await store.close()
  })

  test("that is a note is not posted twice: its id stays known", async () => {
    const folder = tempFolder()
    const file = join(folder, "store.sqlite")
    await filled(file)
    damage(file, "notes", "body", () => "{")
    const store = await openSqliteStore(file)
    await store.repair(join(folder, "aside.jsonl"))
    await store.post(damaged[0], { id: "n1", owner: "hook", payload: {} })
    expect((await store.load(damaged[0]))?.notes ?? []).toEqual([])
    await store.close()
  })

  test("that is a message takes only itself along: the others are counted anew", async () => {
    const folder = tempFolder()
    const file = join(folder, "store.sqlite")
    await filled(file)
    damage(file, "messages", "body", () => "{")
    const store = await openSqliteStore(file)
    await store.repair(join(folder, "aside.jsonl"))
    expect(await store.load(damaged[0], { last: 1 })).toMatchObject({
      earlier: 0,
      history: [{ text: "second" }],
      state: { at: 2 },
    })
    await store.close()
  })

  test("of words that are set aside alone leaves the words behind them linked", async () => {
    const folder = tempFolder()
    const file = join(folder, "store.sqlite")
    const store = await openSqliteStore(file)
    const [key] = damaged
    const said = { role: "user" as const, speaker: { id: "ann", name: "Ann" }, atMs: 1 }
    const append = ["t1", "t2", "t3"].map((turnId) => ({ ...said, turnId, text: turnId }))
    await store.commit(key, { expectVersion: 0, append, state: {}, jobs: [] })
    await store.commit(key, { expectVersion: 1, append: [], state: {}, jobs: [], after: "t1" })
    damage(file, "aside_messages", "body", () => "{")
    expect(await store.repair(join(folder, "aside.jsonl"))).toHaveLength(1)
    expect((await store.check()).problems).toEqual([])
    expect((await store.branches(key)).map(({ turnId, parent }) => [turnId, parent])).toEqual([
      ["t1", undefined],
      ["t3", "t1"],
    ])
    await store.close()
  })

  test("of words that are set aside, or before such words, leaves their branch linked", async () => {
    const folder = tempFolder()
    const file = join(folder, "store.sqlite")
    const store = await openSqliteStore(file)
    const [key] = damaged
    const said = { role: "user" as const, speaker: { id: "ann", name: "Ann" }, atMs: 1 }
    const append = ["t1", "t2", "t3", "t4"].map((turnId) => ({ ...said, turnId, text: turnId }))
    await store.commit(key, { expectVersion: 0, append, state: {}, jobs: [] })
    await store.commit(key, { expectVersion: 1, append: [], state: {}, jobs: [], after: "t2" })
    damage(file, "aside_messages", "body", () => "{")
    damage(file, "messages", "body", () => "{")
    expect((await store.check()).problems).toEqual([
      expect.stringMatching(/^messages .*position 0/u),
      expect.stringMatching(/^aside_messages .*position 2.*was set aside/u),
    ])
    expect(await store.repair(join(folder, "aside.jsonl"))).toHaveLength(2)
    expect(await store.check()).toMatchObject({ ok: true })
    const turns = (await store.branches(key)).map(({ turnId, parent, isAside }) => [turnId, parent, isAside])
    expect(turns).toEqual([
      ["t2", undefined, false],
      ["t4", "t2", true],
    ])
    const raw = new DatabaseSync(file)
    raw.exec("update aside_messages set follows = 7")
    raw.close()
    expect((await store.check()).problems).toEqual([expect.stringContaining("1 rows follow a message that is gone")])
    await store.close()
  })
})
