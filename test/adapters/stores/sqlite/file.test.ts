import { copyFileSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { openStore } from "../../../../src/adapters/stores/index.ts"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { storeFile } from "../../../../src/adapters/stores/sqlite/store-file.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { turnOf } from "./support/turns.ts"

const newFile = () => join(tempFolder(), "store.sqlite")

/** Timers that fire at once, and the sum of their waits. */
function instantTimers() {
  const waited = { ms: 0 }
  const set = (callback: () => void, delayMs: number) => {
    waited.ms += delayMs
    return setImmediate(callback)
  }
  return { waited, timers: { set, clear: () => undefined } }
}

async function storeWithTurn(file: string): Promise<void> {
  const store = await openSqliteStore(file)
  const { key, commit } = turnOf("turn", "chat")
  await store.commit(key, { ...commit, expectVersion: 0 })
  await store.close()
}

describe("the file", () => {
  test("lies among promptstrata's own, where no file tool reads it, and is its owner's alone", async () => {
    const folder = join(tempFolder(), "data")
    const store = await openStore(folder)
    expect(store.file).toBe(join(folder, ".promptstrata", "store.sqlite"))
    const modes = [folder, join(folder, ".promptstrata"), store.file, `${store.file}-wal`].map(
      (path) => statSync(path).mode & 0o777,
    )
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600])
    await store.close()
  })

  test("is written through to the disk in WAL mode before a commit is acknowledged", async () => {
    const file = newFile()
    const asked: string[] = []
    const { exec } = DatabaseSync.prototype
    DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
      asked.push(sql)
      return exec.call(this, sql)
    }
    try {
      await storeWithTurn(file)
    } finally {
      DatabaseSync.prototype.exec = exec
    }
    expect(asked).toEqual(expect.arrayContaining(["pragma journal_mode = wal", "pragma synchronous = full"]))
    expect(asked.lastIndexOf("pragma synchronous = full")).toBeLessThan(asked.indexOf("begin immediate"))
  })

  const replace = (file: string) => {
    renameSync(file, `${file}.old`)
    copyFileSync(`${file}.old`, file)
  }
  test.each([
    ["deleted", (file: string) => rmSync(file)],
    ["moved", (file: string) => renameSync(file, `${file}.old`)],
    ["replaced", replace],
  ])("N40 that was %s while it was open takes no more words, and says so; put back, it takes them", async (_, take) => {
    const file = newFile()
    const store = await openSqliteStore(file)
    const commit = (turnId: string, expectVersion: number) => {
      const { key, commit } = turnOf(turnId, "chat")
      return store.commit(key, { ...commit, expectVersion })
    }
    await commit("first", 0)
    linkSync(file, `${file}.kept`)
    take(file)
    await expect(commit("second", 1)).rejects.toMatchObject({ code: "store", message: expect.stringContaining("is gone") })
    renameSync(`${file}.kept`, file)
    await commit("second", 1)
    expect((await store.load(turnOf("second", "chat").key))?.version).toBe(2)
    await store.close()
  })

  test("of a newer schema is refused, with what to do, and left as it is", async () => {
    const file = newFile()
    await storeWithTurn(file)
    const raw = new DatabaseSync(file)
    raw.exec("update schema_versions set version = 99 where part = 'store'")
    raw.close()
    await expect(openSqliteStore(file)).rejects.toMatchObject({
      code: "store",
      message: expect.stringMatching(/found version 99.*\nUpdate promptstrata/u),
    })
  })

  test("that is no database is refused, with what to do, and left as it is", async () => {
    const file = newFile()
    const text = "these are notes, not a database\n".repeat(100)
    writeFileSync(file, text)
    await expect(openSqliteStore(file)).rejects.toMatchObject({ code: "store", message: expect.stringContaining("no database") })
    expect(readFileSync(file, "utf8")).toBe(text)
  })

  test("in a place that cannot be written to is refused by name", async () => {
    const file = join(tempFolder({ blocked: "a file, not a folder" }), "blocked", "store.sqlite")
    await expect(openSqliteStore(file)).rejects.toMatchObject({ code: "store", message: expect.stringContaining(file) })
  })

  test("that another process holds is waited for, beside other work, and then refused", async () => {
    const file = newFile()
    await storeWithTurn(file)
    const { waited, timers } = instantTimers()
    const store = await openSqliteStore(file, { timers, busyMs: 100 })
    const other = new DatabaseSync(file)
    other.exec("begin immediate")
    const { key, commit } = turnOf("second", "chat")
    const refused = { code: "store", message: expect.stringContaining("free within") }
    const error = await store.commit(key, { ...commit, expectVersion: 1 }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ ...refused, evidence: { file, waitedMs: waited.ms } })
    expect(waited.ms).toBeGreaterThanOrEqual(100)
    expect(waited.ms).toBeLessThan(200)
    expect((await store.load(key))?.version, "reading goes on").toBe(1)
    other.exec("rollback")
    other.close()
    expect(await store.commit(key, { ...commit, expectVersion: 1 })).toEqual({ version: 2 })
    await store.close()
  })

  test("whose log another process still reads is not said to be free of what was forgotten", async () => {
    const file = newFile()
    await storeWithTurn(file)
    const { waited, timers } = instantTimers()
    const store = await openSqliteStore(file, { timers, busyMs: 100 })
    const reader = new DatabaseSync(file)
    reader.exec("begin")
    reader.prepare("select count(*) from sessions").get()
    const { key } = turnOf("turn", "chat")
    const forget = () => store.forget({ agent: key.agent, user: "chat" })
    await expect(forget()).rejects.toMatchObject({ code: "store" })
    expect(waited.ms).toBeGreaterThanOrEqual(100)
    reader.close()
    await forget()
    await store.close()
  })

  test("that was damaged is found out by check", async () => {
    const file = newFile()
    const store = await openSqliteStore(file)
    for (let turn = 0; turn < 30; turn++) {
      const { key, commit } = turnOf(`turn ${turn}`, "chat")
      await store.commit(key, { ...commit, expectVersion: turn })
    }
    expect(await store.check()).toMatchObject({ ok: true, counts: { session: 1, message: 60, job: 30 } })
    await store.close()
    const bytes = readFileSync(file)
    bytes.fill(0x5a, bytes.length - 6_000, bytes.length - 4_096)
    writeFileSync(file, bytes)
    const damaged = await openSqliteStore(file)
    const { ok, problems } = await damaged.check().catch((error: unknown) => ({ ok: false, problems: [String(error)] }))
    expect(ok).toBe(false)
    expect(problems.join("\n")).toMatch(/backup/u)
    await damaged.close()
  })
})

describe("rows that something else deleted the owner of", () => {
  test("are found out by check, each table by name", async () => {
    const file = newFile()
    await storeWithTurn(file)
    const raw = new DatabaseSync(file)
    raw.exec("pragma foreign_keys = off; delete from sessions")
    raw.close()
    const store = await openSqliteStore(file)
    const { ok, problems } = await store.check()
    expect(ok).toBe(false)
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.stringContaining("messages: 2 rows belong to no session"),
        expect.stringContaining("messages without sessions"),
      ]),
    )
    await store.close()
  })
})

describe("backup", () => {
  test("is a whole store of its moment, made while others write, and never takes the place of a file", async () => {
    const file = newFile()
    const path = `${file}.copy`
    const store = await openSqliteStore(file)
    const { key, commit } = turnOf("first", "chat")
    await store.commit(key, { ...commit, expectVersion: 0 })
    const other = new DatabaseSync(file)
    other.exec("begin immediate")
    await store.backup(path)
    other.exec("rollback")
    other.close()
    await store.commit(key, { ...turnOf("second", "chat").commit, expectVersion: 1 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const copy = await openSqliteStore(path)
    expect(await copy.load(key)).toMatchObject({ version: 1, history: [{ turnId: "first" }, { turnId: "first" }] })
    expect(await copy.check()).toMatchObject({ ok: true })
    await copy.close()
    const before = readFileSync(path)
    await expect(store.backup(path)).rejects.toMatchObject({
      code: "store",
      message: expect.stringContaining("does not exist yet"),
    })
    expect(readFileSync(path)).toEqual(before)
    await store.close()
  })
})

test("storeFile keeps to the folder it is given", () => {
  expect(storeFile("./data")).toBe(join("data", ".promptstrata", "store.sqlite"))
})
