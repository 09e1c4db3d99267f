import { spawnSync } from "node:child_process"
import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { connectionTarget } from "../../../../src/adapters/stores/postgres/connection-url.ts"
import { loadDrivers, openPool, postgresDatabase } from "../../../../src/adapters/stores/postgres/postgres-database.ts"
import { postgresSettings } from "../../../../src/adapters/stores/postgres/postgres-options.ts"
import type { Queries, SqlDatabase } from "../../../../src/adapters/stores/sql/sql-database.ts"
import { childEnv } from "../../../support/child-env.ts"
import { makeDatabase, query } from "./support/database.ts"

let url = ""
let database: SqlDatabase
const warnings: string[] = []
beforeAll(async () => {
  url = await makeDatabase()
  const drivers = await loadDrivers()
  const target = connectionTarget(url)
  const pool = openPool(drivers, postgresSettings({ url, onWarning: () => undefined }), target)
  database = postgresDatabase(pool, { target, onWarning: (message) => warnings.push(message) })
  await query(url, "create table counts (name text primary key, count bigint not null)")
  await query(url, "insert into counts values ('a', 0), ('b', 0)")
})
afterAll(() => database.close())

const add = (db: Queries, name: string) => sql`update counts set count = count + 1 where name = ${name}`.execute(db)

const counts = async () =>
  Object.fromEntries(
    (
      await database.read((db) => sql<{ name: string; count: number }>`select name, count from counts order by name`.execute(db))
    ).rows.map(({ name, count }) => [name, count]),
  )

describe("transactions on PostgreSQL", () => {
  test("of two writes that wait for each other both are done in the end, each once", async () => {
    const [firstHas, secondHas] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const before = await counts()
    let runs = 0
    const both = (one: string, other: string, mine: PromiseWithResolvers<void>, theirs: PromiseWithResolvers<void>) =>
      database.write(async (db) => {
        runs += 1
        await add(db, one)
        mine.resolve()
        await theirs.promise
        await add(db, other)
      })
    await Promise.all([both("a", "b", firstHas, secondHas), both("b", "a", secondHas, firstHas)])
    expect(runs).toBeGreaterThan(2)
    expect(warnings).toEqual(
      Array.from({ length: runs - 2 }, (_, at) =>
        expect.stringMatching(`^a transaction is tried again after a deadlock.* ${at + 1} so far`),
      ),
    )
    expect(await counts()).toEqual({ a: Number(before.a) + 2, b: Number(before.b) + 2 })
  })

  test("a read sees one moment", async () => {
    const before = await counts()
    const seen = await database.read(async (db) => {
      const ask = () => sql<{ count: number }>`select count from counts where name = 'a'`.execute(db)
      const first = (await ask()).rows[0]?.count
      await database.write((other) => add(other, "a"))
      return [first, (await ask()).rows[0]?.count]
    })
    expect(seen).toEqual([before.a, before.a])
  })

  test("a failed write leaves nothing and says why", async () => {
    const before = await counts()
    const error = new RangeError("mine")
    const failing = database.write(async (db) => {
      await add(db, "a")
      throw error
    })
    await expect(failing).rejects.toMatchObject({ code: "store", message: expect.stringContaining("mine") })
    expect(await counts()).toEqual(before)
  })

  test("a connection that broke while nobody used it costs nothing", async () => {
    const before = await counts()
    const script = `const { default: pg } = await import("pg")
      const client = new pg.Client(process.argv[1])
      await client.connect()
      await client.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
      await client.end()`
    // This process is blocked meanwhile, so it cannot notice that the connection broke before it uses it.
    const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script, url], { env: childEnv() })
    await database.write((db) => add(db, "a"))
    expect(status).toBe(0)
    expect(await counts()).toEqual({ ...before, a: (before.a ?? 0) + 1 })
  })

  test("a connection that is cut between two statements costs that transaction, not the process", async () => {
    const before = await counts()
    const cut = database.write(async (db) => {
      await add(db, "a")
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
      await query(url, "select pg_terminate_backend($1, 5000)", [rows[0]?.pid])
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
      await add(db, "b")
    })
    await expect(cut).rejects.toMatchObject({ code: "store", message: /The connection was lost/ })
    expect(await counts()).toEqual(before)
  })
})
