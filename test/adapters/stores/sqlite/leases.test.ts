import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { Leases } from "../../../../src/adapters/stores/sqlite/leases.ts"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { openSqliteDatabase } from "../../../../src/adapters/stores/sqlite/sqlite-database.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const leaseMs = 900

/** Two processes on one file, with one clock, whose writes are counted. */
async function scene() {
  const file = join(tempFolder(), "store.sqlite")
  await (await openSqliteStore(file)).close()
  let [nowMs, writes] = [10_000, 0]
  const clock = { nowMs: () => nowMs }
  const database = await openSqliteDatabase(await import("node:sqlite"), file, {} as never)
  const counted: typeof database = {
    ...database,
    write: (work, ...rest) => {
      writes++
      return database.write(work, ...rest)
    },
  }
  const leasesOf = (owner: string) => new Leases(counted, { owner, leaseMs, clock })
  const one = leasesOf("one")
  const other = leasesOf("other")
  const reader = new DatabaseSync(file)
  return {
    one,
    other,
    at: (ms: number) => {
      nowMs = 10_000 + ms
    },
    /** Whether the lease is held then, whether that took a write, and whose it is until when. */
    async hold(leases: Leases, ms: number, agent = "fay") {
      nowMs = 10_000 + ms
      const before = writes
      const isHeld = await leases.hold(agent)
      const row = reader.prepare("select owner, expires_ms from leases where agent = ?").get(agent)
      return `${isHeld ? "held" : "away"}, ${writes === before ? "as before" : "asked"}: ${row?.owner} until ${Number(row?.expires_ms) - 10_000}`
    },
    rows: () =>
      reader
        .prepare("select agent, owner from leases order by agent")
        .all()
        .map(({ agent, owner }) => `${agent}: ${owner}`),
    async close() {
      reader.close()
      await database.close()
    },
  }
}

test("a lease is renewed from a third of its time on, and taken by another from its end on", async () => {
  const { one, other, hold, close } = await scene()
  expect([
    await hold(one, 0),
    await hold(one, 299),
    await hold(other, 299),
    await hold(one, 300),
    await hold(other, 1_199),
    await hold(other, 1_200),
    await hold(one, 1_201),
    await hold(other, 1_202),
  ]).toEqual([
    "held, asked: one until 900",
    "held, as before: one until 900",
    "away, asked: one until 900",
    "held, asked: one until 1200",
    "away, asked: one until 1200",
    "held, asked: other until 2100",
    "away, asked: other until 2100",
    "held, as before: other until 2100",
  ])
  await close()
})

test("after the clock was set back, the owner writes its lease anew, and another takes one that ends more than twice ahead", async () => {
  const { one, other, hold, close } = await scene()
  expect([
    await hold(one, 0),
    // It may be renewed in 300 ms, as after it was written; of a clock that was set back that is more.
    await hold(one, -1),
    await hold(one, -1),
    await hold(other, -901),
    await hold(other, -902),
    await hold(one, -902),
  ]).toEqual([
    "held, asked: one until 900",
    "held, asked: one until 899",
    "held, as before: one until 899",
    "away, asked: one until 899",
    "held, asked: other until -2",
    "away, asked: other until -2",
  ])
  await close()
})

test("a lease that is given up can be taken at once: of one agent, or of all, and never another's", async () => {
  const { one, other, hold, rows, close } = await scene()
  for (const agent of ["fay", "gil"]) await hold(one, 0, agent)
  await hold(other, 0, "hal")
  await one.release("fay")
  expect(rows()).toEqual(["gil: one", "hal: other"])
  expect([await hold(other, 1), await hold(one, 2), await hold(one, 2, "gil")]).toEqual([
    "held, asked: other until 901",
    "away, asked: other until 901",
    "held, as before: one until 900",
  ])
  await one.release()
  expect(rows()).toEqual(["fay: other", "hal: other"])
  expect(await hold(one, 3, "gil")).toBe("held, asked: one until 903")
  await close()
})
