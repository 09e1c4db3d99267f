import { AsyncLocalStorage } from "node:async_hooks"
import pg from "pg"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { openStore } from "../../../../src/adapters/stores/open-store.ts"
import { startLock } from "../../../../src/adapters/stores/postgres/job-engine.ts"
import { queueOf } from "../../../../src/adapters/stores/postgres/stored-job.ts"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import type { Timers } from "../../../../src/core/ports.ts"
import { hostTimers } from "../../../../src/core/ports.ts"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { heartbeatMs } from "../../../../src/memory/services/store/running-jobs.ts"
import { isShipped, type Store } from "../../../../src/memory/services/store/store.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { finish, testAgent } from "../../../support/agents.ts"
import { longConversation } from "../../../support/long-conversations.ts"
import { applyEffects } from "../turn-effects.ts"
import { makeDatabase, query } from "./support/database.ts"
import { dumpDatabase } from "./support/dump.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

let url = ""
beforeAll(async () => {
  url = await makeDatabase()
})

/** Writes one turn with everything that a store keeps. */
async function useEverything(store: Store, key: ServiceKey, turnId: string): Promise<void> {
  const job = jobOf(`job of ${turnId}`, key, { turnId, payload: { turnId } })
  await store.post(key, { id: `note of ${turnId}`, owner: "hook", payload: { turnId } })
  await commitJobs(store, key, [job])
  await applyEffects(store, job)
  const [memory] = await store.memories.recent(key, { limit: 1 })
  await store.memories.putVectors([{ memoryId: memory?.id ?? "", model: "m", values: Float32Array.of(1, 2) }], key)
  await store.memories.vectors([memory?.id ?? ""], "m", key)
  await store.memories.withoutVector("m", key, 5)
  await store.memories.changes(key, { limit: 5 })
  await store.memories.get(memory?.id ?? "", key)
  await store.messages(key, { limit: 5, speaker: "ann", containing: turnId })
  await store.receipts.ofTurn(turnId, key)
  await store.receipts.since(key, 0)
}

describe("a store on PostgreSQL", () => {
  test("opens for many processes at once on an empty database", async () => {
    const empty = await makeDatabase()
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStoreFor(empty, { maxConnections: 2 })))
    const key = keyOf("c")
    for (const [at, store] of stores.entries()) await useEverything(store, key, `turn ${at}`)
    expect((await stores[0]?.load(key))?.version).toBe(6)
    expect(await stores[5]?.check()).toMatchObject({ ok: true, problems: [] })
  })

  test("makes pg-boss' tables one process at a time", async () => {
    const empty = await makeDatabase()
    const holder = new pg.Client(empty)
    await holder.connect()
    await holder.query("select pg_advisory_lock($1)", [startLock])
    const opening = openStoreFor(empty)
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'"
    await expect.poll(() => query(empty, waiting)).toHaveLength(1)
    expect(await query(empty, "select 1 from pg_namespace where nspname = 'pgboss'")).toEqual([])
    await holder.end()
    expect(await (await opening).check()).toMatchObject({ ok: true })
  })

  test("opens by openStore with a URL", async () => {
    const store = await openStore({ url, maxConnections: 2 })
    expect(await store.load(keyOf("opened by openStore"))).toBeUndefined()
    await store.close()
  })

  test("M36 is known as a store of this package: a turn does not check again what it reads from one", async () => {
    expect(isShipped(await openStoreFor(await makeDatabase()))).toBe(true)
  })

  test("runs no statement about a key's rows that does not carry the key", async () => {
    const store = await openStoreFor(url)
    const key = keyOf("carried conversation", { agent: "carried agent", user: "carried user" })
    await useEverything(store, key, "before")
    const statements: { readonly text: string; readonly values: readonly unknown[] }[] = []
    // pg-boss looks after its tables at times of its own. Only statements of this test's calls are told.
    const isOurs = new AsyncLocalStorage<boolean>()
    const real = pg.Client.prototype.query
    const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...given: unknown[]) {
      const [first, values] = given as [string | { text: string; values?: unknown[] }, unknown[] | undefined]
      if (isOurs.getStore() !== true) return Reflect.apply(real, this, given)
      if (typeof first === "string") statements.push({ text: first, values: values ?? [] })
      else statements.push({ text: first.text, values: first.values ?? values ?? [] })
      return Reflect.apply(real, this, given)
    } as typeof real)
    await isOurs.run(true, () => useEverything(store, key, "during"))
    spy.mockRestore()
    const tables = /\b(sessions|messages|notes|memories|memory_scopes|vectors|users|revisions|statements|receipts)\b/
    const ours = statements.filter(({ text }) => tables.test(text))
    expect(ours.length).toBeGreaterThan(20)
    expect(ours.filter(({ values }) => !values.includes(key.agent))).toEqual([])
    const narrowed = [key.conversation, key.user, `user:${key.user}`, "job of during", "memory of during"]
    const broad = ours.filter(
      ({ text, values }) => !text.includes("memory_scopes") && !narrowed.some((part) => values.includes(part)),
    )
    expect(broad).toEqual([])
    const jobs = statements.filter(({ text }) => text.includes("pgboss"))
    expect(jobs.length).toBeGreaterThan(0)
    expect(jobs.filter(({ text, values }) => !text.includes(queueOf(key.agent)) && !values.includes(queueOf(key.agent)))).toEqual(
      [],
    )
  })

  test("gives recall the same top 50, with the same scores, as the store in memory", async () => {
    const { lines, questions, nowMs } = longConversation(mulberry32(3), "development")
    const key = keyOf("talk", { agent: "recall" })
    const stores = [createInMemoryStore(), await openStoreFor(url)]
    const answers = await Promise.all(
      stores.map(async (store) => {
        const service = createMemoryService({ records: store.memories, clock: { nowMs: () => nowMs } })
        for (const { id, text, speaker, atMs, turn, session } of lines.slice(0, 250))
          await service.remember(
            { id, kind: "dialogue", text, speaker, atMs, turnId: id, turn },
            { ...key, conversation: session },
          )
        const ask = ({ text }: { readonly text: string }) =>
          service.recall(text, key, { limit: 50, signal: new AbortController().signal })
        return Promise.all(questions.slice(0, 40).map(ask))
      }),
    )
    expect(answers[0]?.some((hits) => hits.length === 50)).toBe(true)
    expect(answers[1]).toEqual(answers[0])
  })

  test("carries a conversation from one process to another: the next prompt is the same to the byte", async () => {
    const silent = { memory: { enabled: false } }
    const first = testAgent(scriptedModel([finish("first"), finish("second")]), silent, { store: await openStoreFor(url) })
    for (const text of ["one\0", "two \ud800"]) expect(await first.session.send(text).result).toMatchObject({ ok: true })
    await first.agent.idle()
    const second = testAgent(scriptedModel([]), silent, { store: await openStoreFor(url) })
    const prompt = async ({ session }: typeof first) => JSON.stringify((await session.preview("three")).messages)
    expect(await prompt(second)).toBe(await prompt(first))
    expect(await prompt(second)).toContain("second")
  })

  test("forgets a user so that no table has a word of theirs, pg-boss' included", async () => {
    const database = await makeDatabase()
    const store = await openStoreFor(database, { jobs: { maxAttempts: 1 } })
    const [canary, other] = ["canary-5d1f", "neighbour-77aa"]
    for (const name of [canary, other]) {
      const key = keyOf(`conversation of ${name}`, { user: name })
      await useEverything(store, key, `${name} done`)
      await commitJobs(store, key, [jobOf(`${name} fails`, key, { turnId: `${name} fails` })])
    }
    await store.jobs.start({
      work: async ({ id }) => {
        if (id.endsWith("fails")) throw new Error(`It failed over ${id}.`)
      },
    })
    await store.jobs.idle()
    for (const name of [canary, other]) {
      const key = keyOf(`conversation of ${name}`, { user: name })
      await commitJobs(store, key, [jobOf(`${name} waits`, key, { turnId: `${name} waits`, kind: "unknown" })])
    }
    const tablesWith = async (word: string) =>
      [...(await dumpDatabase(database))].filter(([, text]) => text.includes(word)).map(([name]) => name)
    const before = await tablesWith(canary)
    expect(before).toEqual(expect.arrayContaining(["pgboss.job", "public.messages", "public.memories", "public.statements"]))
    const report = await store.forget({ agent: "fay", user: canary })
    expect(Object.values(report).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
    expect(await tablesWith(canary)).toEqual([])
    expect(await tablesWith(other)).toEqual(before)
  })

  test("stops a job of what is forgotten, in whatever process it runs", async () => {
    // Without heartbeats: they would stop the job only later.
    const timers: Timers = {
      ...hostTimers,
      set: (callback, delayMs) => (delayMs === heartbeatMs ? 0 : hostTimers.set(callback, delayMs)),
    }
    const [web, worker] = await Promise.all([openStoreFor(url), openStoreFor(url, { timers })])
    const agent = "forgets what runs"
    const key = keyOf("c", { agent })
    const [started, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await worker.jobs.start(
      {
        work: async (_, { signal }) => {
          signal.addEventListener("abort", () => stopped.resolve())
          started.resolve()
          await new Promise(() => undefined)
        },
      },
      { agent },
    )
    await commitJobs(web, key, [jobOf("runs", key)])
    await started.promise
    await web.forget({ agent, conversation: "c" })
    await stopped.promise
    await worker.jobs.idle()
    expect(await query(url, "select id from pgboss.job where data->>'agent' = $1", [agent])).toEqual([])
    expect((await worker.jobs.dead()).filter(({ job }) => job.key.agent === agent)).toEqual([])
  })
})
