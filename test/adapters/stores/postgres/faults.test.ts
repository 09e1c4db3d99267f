import { inspect } from "node:util"
import pg from "pg"
import { beforeAll, describe, expect, test } from "vitest"
import { openPostgresStore } from "../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import type { Timers } from "../../../../src/core/ports.ts"
import { hostTimers } from "../../../../src/core/ports.ts"
import type { BackgroundWarning } from "../../../../src/loop/turn/turn-context.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { finish, testAgent } from "../../../support/agents.ts"
import { makeDatabase, query, urlOf } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

let url = ""
let database = ""
beforeAll(async () => {
  url = await makeDatabase()
  database = new URL(url).pathname.slice(1)
})

const password = "s3cret@/:%"

/** The error that opening a store throws. */
async function faultOf(given: string): Promise<PromptStrataError> {
  const warnings: string[] = []
  const opened = openPostgresStore({ url: given, connectTimeoutMs: 2_000, onWarning: (message) => void warnings.push(message) })
  const error: unknown = await opened.then(
    (store) => store.close(),
    (thrown: unknown) => thrown,
  )
  if (!PromptStrataError.isInstance(error)) throw new Error(`expected an error of this library, found ${inspect(error)}`)
  const everything =
    inspect([error, warnings, error.cause, error.evidence], { depth: 10, showHidden: true }) + (error.stack ?? "")
  for (const secret of [password, encodeURIComponent(password)]) expect(everything).not.toContain(secret)
  return error
}

describe("a store that cannot be opened says why, what to do, and never the password:", () => {
  test("a wrong password", async () => {
    await query(url, "create role guest login password 'right'")
    const error = await faultOf(urlOf(database, { user: "guest", password }))
    expect(error).toMatchObject({ code: "store", evidence: { code: "28P01" } })
    expect(error.message).toContain(`postgres://guest@127.0.0.1`)
    expect(error.message).toContain(`Check the user and the password in the URL.`)
  })

  test("a database that is not there", async () => {
    const error = await faultOf(urlOf("nowhere"))
    expect(error).toMatchObject({ code: "store", evidence: { code: "3D000" } })
    expect(error.message).toContain(`createdb "nowhere"`)
  })

  test("a server that is not there", async () => {
    const error = await faultOf(`postgres://guest:${encodeURIComponent(password)}@127.0.0.1:1/x`)
    expect(error).toMatchObject({ code: "store", evidence: { code: "ECONNREFUSED" } })
    expect(error.message).toContain("Is PostgreSQL running and reachable at 127.0.0.1:1?")
  })

  test("a user who may not make tables", async () => {
    await query(url, "create role reader login password 'reader'")
    const error = await faultOf(urlOf(database, { user: "reader", password: "reader" }))
    expect(error).toMatchObject({ code: "store", evidence: { code: "42501" } })
    expect(error.message).toContain('Let "reader" make tables and a schema')
  })

  test.each([
    ["another protocol", `mysql://guest:${encodeURIComponent(password)}@host/x`],
    ["no host", `postgres:guest:${encodeURIComponent(password)}`],
    ["no URL at all", `guest:${password}`],
  ])("%s", async (_, given) => {
    const error = await faultOf(given)
    expect(error.code).toBe("usage")
    expect(error.message).toContain("postgres://user:password@host:5432/database")
  })

  test("too few connections", async () => {
    await expect(openPostgresStore({ url, maxConnections: 1 })).rejects.toMatchObject({ code: "usage" })
  })

  test("a schema name that is none", async () => {
    await expect(openPostgresStore({ url, jobSchema: "x; drop table y" })).rejects.toMatchObject({ code: "usage" })
  })

  test("a schema that a newer version wrote", async () => {
    const newer = await makeDatabase()
    await openPostgresStore({ url: newer }).then((store) => store.close())
    await query(newer, "update schema_versions set version = version + 1")
    await expect(openPostgresStore({ url: newer })).rejects.toMatchObject({ code: "store", message: /newer promptstrata/ })
  })
})

test("M24 a database of an older version is updated and that is told; a newer version's cache is emptied and not refused", async () => {
  const name = await makeDatabase()
  const warnings: string[] = []
  const open = () => openPostgresStore({ url: name, onWarning: (message) => warnings.push(message) })
  await open().then((store) => store.close())
  await query(name, "drop table index_copies")
  await query(name, "alter table memory_scopes rename column last_deletion to epoch")
  await query(name, "update schema_versions set version = 6 where part = 'core'")
  await query(name, "create table summaries (bytes text)")
  await query(name, "insert into schema_versions (part, version) values ('cache summaries', 1)")
  await query(name, "insert into summaries values ('words')")
  await open().then((store) => store.close())
  expect(warnings).toEqual([expect.stringMatching(/^The store was updated .*\ncopies of recall indexes$/)])
  expect(await query(name, "select * from summaries")).toEqual([])
})

/** Allows connections to a database, or cuts all of them and refuses new ones. */
async function setAllowed(target: string, isAllowed: boolean): Promise<void> {
  const name = new URL(target).pathname.slice(1)
  await query(url, `alter database ${name} with allow_connections ${isAllowed}`)
  if (!isAllowed) await query(url, "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name])
}

test("a schema that a newer version changes while this one runs costs a turn a typed error that says so", async () => {
  const name = await makeDatabase()
  const store = await openStoreFor(name)
  const turn = { expectVersion: 0, append: [], state: {}, jobs: [] }
  const key = { agent: "fay", conversation: "chat", audience: "private" } as const
  await query(name, "alter table sessions rename column whole_state to newer_state")
  const changed = { code: "store", hint: /start it again with that version/ }
  await expect(store.commit(key, turn)).rejects.toMatchObject(changed)
  await query(name, "alter table sessions rename column newer_state to whole_state")
  expect(await store.commit(key, turn)).toEqual({ version: 1 })
})

describe("a database that goes away", () => {
  test("costs the turn that needs it a typed error with advice, and the next turn works", async () => {
    const name = await makeDatabase()
    const store = await openStoreFor(name)
    const lost = Promise.withResolvers<void>()
    const onWarning = ({ message }: BackgroundWarning) => {
      if (message.startsWith("Keeping the words of an unanswered turn")) lost.resolve()
    }
    const model = scriptedModel([finish("first"), finish("second")])
    const { session } = testAgent(model, { memory: { enabled: false } }, { store, onWarning })
    expect(await session.send("one").result).toMatchObject({ ok: true, text: "first" })
    await setAllowed(name, false)
    const failed = await session.send("two").result
    expect(failed).toMatchObject({ ok: false, error: { code: "store" } })
    // Its words were to be kept (T20), but the database is still away.
    await lost.promise
    await setAllowed(name, true)
    expect(await session.send("three").result).toMatchObject({ ok: true, text: "second" })
    const { history } = (await store.load({ agent: "test", conversation: "test", audience: "private" })) ?? { history: [] }
    expect(history.map(({ text }) => text)).toEqual(["one", "first", "three", "second"])
  })

  test("is not reported with every look of a runner that keeps looking, and jobs go on when it is back", async () => {
    const name = await makeDatabase()
    const warnings: string[] = []
    let looks = 0
    const timers: Timers = {
      ...hostTimers,
      set: (callback, delayMs) => {
        if (delayMs === 5) looks += 1
        return hostTimers.set(callback, delayMs)
      },
    }
    const onWarning = (message: string) => void warnings.push(message)
    const store = await openStoreFor(name, {
      timers,
      onWarning,
      jobs: { listen: false, pollMs: 5, superviseSeconds: 600 },
    })
    const done: string[] = []
    await store.jobs.start({ work: async ({ id }) => void done.push(id) }, { agent: "fay" })
    await store.jobs.idle()
    await setAllowed(name, false)
    const faults = () => warnings.filter((text) => text.startsWith("jobs: "))
    await expect.poll(() => faults().length).toBeGreaterThan(0)
    const before = looks
    await expect.poll(() => looks).toBeGreaterThan(before + 50)
    // Once, or once more for each connection that was cut a little later than the first.
    expect(faults().length).toBeLessThanOrEqual(4)
    await setAllowed(name, true)
    await commitJobs(store, keyOf("back"), [jobOf("back", keyOf("back"))])
    await expect.poll(() => done).toEqual(["back"])
  })

  test("costs a running transaction a typed error that says that its end is not known", async () => {
    const store = await openStoreFor(url)
    const key = keyOf("cut", { agent: "cut" })
    await commitJobs(store, key, [jobOf("first", key)])
    // Another transaction holds the row, so that the commit waits within its transaction.
    const holder = new pg.Client(url)
    await holder.connect()
    await holder.query("begin")
    await holder.query("select 1 from sessions where agent = 'cut' for update")
    const failing = expect(commitJobs(store, key, [jobOf("second", key)])).rejects.toMatchObject({
      code: "store",
      message: /whether a write at that moment was kept is not known/,
    })
    const blocked = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await expect.poll(() => query(url, blocked)).toHaveLength(1)
    await query(url, `select pg_terminate_backend(pid) from (${blocked}) as waiting`)
    await failing
    await holder.query("rollback")
    await holder.end()
    await commitJobs(store, key, [jobOf("second", key)])
    expect((await store.load(key))?.version).toBe(2)
  })
})
