import { statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { loadSqlite } from "../../../../src/adapters/stores/sqlite/node-sqlite.ts"
import { openSqliteDatabase } from "../../../../src/adapters/stores/sqlite/sqlite-database.ts"
import { sqliteFault } from "../../../../src/adapters/stores/sqlite/sqlite-fault.ts"
import { hostTimers } from "../../../../src/core/ports.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

test("what still waits for its transaction as the file is closed is refused as closed", async () => {
  const options = { timers: hostTimers, random: Math.random, busyMs: 1_000 }
  const database = await openSqliteDatabase(await loadSqlite(), join(tempFolder(), "store.sqlite"), options)
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const first = database.read(() => gate)
  const waiting = [database.read(async () => "read"), database.write(async () => "written")].map((work) =>
    work.catch((error: { readonly code?: string }) => error.code),
  )
  const closing = database.close()
  open()
  await Promise.allSettled([first, closing])
  for (const outcome of await Promise.all(waiting)) expect(outcome).toBe("closed")
})

test("errors of SQLite say what to do, with a number of theirs or without; others stay as they are", () => {
  const other = new Error("not mine")
  expect(sqliteFault(other, "a.sqlite")).toBe(other)
  const full = Object.assign(new Error("full"), { errcode: 13 })
  expect(sqliteFault(full, "a.sqlite")).toMatchObject({ code: "store", hint: expect.stringContaining("the disk is full") })
  const unnumbered = Object.assign(new Error("closed"), { code: "ERR_SQLITE_ERROR" })
  expect(sqliteFault(unnumbered, "a.sqlite")).toMatchObject({ code: "store", hint: expect.stringContaining("doctor") })
})

test("a file that another program holds is tried again after longer and longer waits, then given up", async () => {
  const file = join(tempFolder(), "store.sqlite")
  const waits: number[] = []
  const timers = {
    set: (callback: () => void, ms: number) => {
      waits.push(ms)
      return setImmediate(callback)
    },
    clear: () => undefined,
  }
  const database = await openSqliteDatabase(await loadSqlite(), file, { timers, random: () => 0, busyMs: 60 })
  const other = new DatabaseSync(file)
  other.exec("begin immediate")
  await expect(database.write(async () => "written")).rejects.toThrow("found another process writing")
  expect(waits).toEqual([1, 2, 4, 8, 16, 25, 25])
  other.exec("rollback")
  expect(await database.write(async () => "written")).toBe("written")
  other.close()
  await database.close()
})

test("a write that comes while others wait for the file waits no longer than they do, from when it was asked for", async () => {
  const file = join(tempFolder(), "store.sqlite")
  const refused: (readonly [string, number])[] = []
  const late: Promise<void>[] = []
  let waitedMs = 0
  const write = (name: string): Promise<void> =>
    database
      .write(async () => name)
      .then(
        () => expect.unreachable(),
        ({ code }: { readonly code?: string }) => void refused.push([`${name}: ${code}`, waitedMs]),
      )
  const timers = {
    set: (callback: () => void, ms: number) => {
      waitedMs += ms
      if (late.length === 0 && waitedMs > 30) late.push(write("late"))
      return setImmediate(callback)
    },
    clear: () => undefined,
  }
  const database = await openSqliteDatabase(await loadSqlite(), file, { timers, random: () => 0, busyMs: 100 })
  const other = new DatabaseSync(file)
  other.exec("begin immediate")
  await Promise.all([write("first"), write("second")])
  await Promise.all(late)
  expect(refused.map(([name]) => name)).toEqual(["first: store", "second: store", "late: store"])
  const [first = 0, , last = 0] = refused.map(([, at]) => at)
  expect(first).toBeLessThan(130)
  expect(last).toBeLessThan(160)
  other.close()
  await database.close()
})

test("the write-ahead log that a long reader let grow becomes small again", async () => {
  const file = join(tempFolder(), "store.sqlite")
  const database = await openSqliteDatabase(await loadSqlite(), file, { timers: hostTimers, random: Math.random, busyMs: 1_000 })
  const logMiB = () => statSync(`${file}-wal`).size / 2 ** 20
  database.raw.exec("create table words (text text)")
  const write = (MiB: number) => database.raw.prepare("insert into words values (?)").run("x".repeat(MiB * 2 ** 20))
  const reader = new DatabaseSync(file)
  reader.exec("begin; select count(*) from words")
  for (let round = 0; round < 5; round++) write(4)
  expect(logMiB()).toBeGreaterThan(20)
  reader.exec("rollback")
  // The first write copies the log into the file, the second begins the log anew.
  for (let round = 0; round < 2; round++) write(1)
  expect(logMiB()).toBeLessThan(9)
  reader.close()
  await database.close()
})
