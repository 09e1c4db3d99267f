import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import type { SqliteStore } from "../../../../src/adapters/stores/database-store.ts"
import type { Queries } from "../../../../src/adapters/stores/sql/sql-database.ts"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { groupCommit } from "../../../../src/adapters/stores/sqlite/sqlite-database.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { turnOf } from "./support/turns.ts"

if (existsSync("/dev/shm")) vi.stubEnv("TMPDIR", "/dev/shm")

const newFile = () => join(tempFolder(), "store.sqlite")
const names = (count: number) => Array.from({ length: count }, (_, at) => `chat ${at}`)

/** Commits the first turn of a conversation. */
function begin(store: SqliteStore, conversation: string, expectVersion = 0) {
  const { key, commit } = turnOf(`turn of ${conversation}`, conversation)
  return store.commit(key, { ...commit, expectVersion })
}

/** The conversations of a store that have a turn. One has both of its messages, its state and its job, or nothing. */
async function begun(store: SqliteStore, conversations: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of conversations) {
    const record = await store.load(turnOf("", name).key)
    if (record === undefined) continue
    expect([record.version, record.history.length, record.state]).toEqual([1, 2, { last: `turn of ${name}` }])
    found.push(name)
  }
  expect((await store.check()).ok).toBe(true)
  return found
}

/** The ends of the transactions in a log, as offsets: a frame that ends one names the size of the file. */
function transactionEnds(log: Buffer): readonly number[] {
  const [header, frame] = [32, 24 + log.readUInt32BE(8)]
  const ends: number[] = []
  for (let at = header; at + frame <= log.length && log.subarray(at + 8, at + 16).equals(log.subarray(16, 24)); at += frame)
    if (log.readUInt32BE(at + 4) > 0) ends.push(at + frame)
  return ends
}

describe("turns that are committed at the same time", () => {
  test("share few transactions", async () => {
    const file = newFile()
    const store = await openSqliteStore(file)
    const before = transactionEnds(readFileSync(`${file}-wal`)).length
    const all = names(130)
    await Promise.all(all.map((name) => begin(store, name)))
    expect(transactionEnds(readFileSync(`${file}-wal`)).length - before).toBe(3)
    expect(await begun(store, all)).toEqual(all)
    await store.close()
  })

  test("are each on the disk before any of them is acknowledged, and a log that is cut anywhere holds whole turns", async () => {
    const file = newFile()
    const store = await openSqliteStore(file)
    const [database, empty] = [readFileSync(file), readFileSync(`${file}-wal`).length]
    const all = names(12)
    const copy = newFile()
    const commits = all.map((name) => begin(store, name))
    await Promise.race(commits)
    const log = readFileSync(`${file}-wal`)
    await Promise.all(commits)
    const [end = 0] = transactionEnds(log).filter((at) => at > empty)
    for (const cut of [end, end - 1, end - 4_120, empty + 4_121, empty]) {
      writeFileSync(copy, database)
      writeFileSync(`${copy}-wal`, log.subarray(0, cut))
      const torn = await openSqliteStore(copy)
      expect(await begun(torn, all), `cut at ${cut - end}`).toEqual(cut === end ? all : [])
      await torn.close()
    }
    await store.close()
  })

  test("fail alone: one conflict, and one that is no JSON, leave the others and their order as they were", async () => {
    const store = await openSqliteStore(newFile())
    const [first, second, third] = names(3) as [string, string, string]
    const { key, commit } = turnOf("again", second)
    const outcomes = await Promise.allSettled([
      begin(store, first),
      begin(store, second),
      begin(store, second),
      store.commit(key, { ...commit, expectVersion: 1 }),
      store.commit(turnOf("x", "bad").key, { ...commit, state: { no: () => 1 } as never, expectVersion: 0 }),
      begin(store, third, 7),
      store.append(turnOf("", third).key, commit.append),
    ])
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? "done" : outcome.reason.code))).toEqual([
      ...["done", "done", "session-conflict", "done", "usage", "session-conflict", "done"],
    ])
    expect((await store.load(key))?.history.map(({ turnId }) => turnId)).toEqual([
      ...[`turn of ${second}`, `turn of ${second}`, "again", "again"],
    ])
    expect(await store.load(turnOf("", third).key)).toMatchObject({ version: 0, history: commit.append })
    await store.close()
  })
})

describe("a group of writes", () => {
  const refusal = new PromptStrataError("usage", "Not this one.")

  /** Writes over a database that only notes what is done. Transactions end when `settle` says so. */
  function noted(settle: (attempt: number) => Promise<void>) {
    const [done, settled]: [string[], string[]] = [[], []]
    let attempts = 0
    const transaction = async <T>(work: (db: Queries) => Promise<T>): Promise<T> => {
      done.push("begin")
      const value = await work({} as Queries)
      await settle(++attempts)
      return value
    }
    const write = groupCommit(transaction, { exec: (sql) => done.push(sql), waits: { ms: 0 } })
    const writing = (name: string, error?: unknown) =>
      write(async () => {
        done.push(name)
        if (error !== undefined) throw error
        return name
      }).then(
        (value) => settled.push(value),
        (thrown) => settled.push(`${name}: ${thrown.message}`),
      )
    return { done, settled, writing }
  }

  test("settles nobody before its transaction, not even those who failed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { done, settled, writing } = noted(() => promise)
    const all = Promise.all([writing("one"), writing("two", refusal), writing("three")])
    // They wait a round for others.
    for (let round = 0; round < 2; round++) await new Promise(setImmediate)
    expect(done).toEqual([
      ...["begin", "savepoint one", "one", "release one", "savepoint one", "two", "rollback to one", "release one"],
      ...["savepoint one", "three", "release one"],
    ])
    expect(settled).toEqual([])
    resolve()
    await all
    expect(settled).toEqual(["one", "two: Not this one.", "three"])
  })

  test("waits for those of the next round of the event loop if several wait, but not if one does", async () => {
    const { done, settled, writing } = noted(async () => undefined)
    const several = [writing("one"), writing("two")]
    await new Promise(setImmediate)
    await Promise.all([...several, writing("three")])
    expect(done.filter((step) => step === "begin")).toHaveLength(1)
    const alone = writing("four")
    await new Promise(setImmediate)
    expect(settled).toEqual(["one", "two", "three", "four"])
    await alone
  })

  test("whose transaction fails is done again, each write in a transaction of its own", async () => {
    const { done, settled, writing } = noted(async (attempt) => {
      if (attempt === 1 || attempt === 3) throw new Error(`disk full ${attempt}`)
    })
    await Promise.all([writing("one"), writing("two"), writing("three", refusal)])
    expect(settled).toEqual(["one", "two: disk full 3", "three: Not this one."])
    expect(done.filter((step) => step === "begin")).toHaveLength(4)
  })

  test("of which one breaks the transaction is done again, each write in a transaction of its own", async () => {
    const { done, settled, writing } = noted(async () => undefined)
    await Promise.all([writing("one"), writing("two", new Error("disk full")), writing("three")])
    expect(settled).toEqual(["one", "two: disk full", "three"])
    expect(done.slice(-6)).toEqual(["begin", "one", "begin", "two", "begin", "three"])
  })
})
