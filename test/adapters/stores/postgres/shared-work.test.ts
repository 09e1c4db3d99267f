import pg from "pg"
import { expect, onTestFinished, test, vi } from "vitest"
import type { Receipt } from "../../../../src/memory/services/store/receipt.ts"
import { makeDatabase, query } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

/** A store with a turn, and another transaction that begins. */
async function beside() {
  const url = await makeDatabase()
  const store = await openStoreFor(url)
  const key = keyOf("talk")
  await commitJobs(store, key, [jobOf("turn", key)])
  const other = new pg.Client(url)
  await other.connect()
  onTestFinished(() => other.end())
  await other.query("begin")
  const about: Receipt = { key, turnId: "turn", kind: "store", outcome: "ok", attempt: 1, startedMs: 1, durationMs: 1 }
  const work = () => store.receipts.put(about, { ofTurn: true })
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  return { url, store, key, other, work, isWaiting: () => expect.poll(() => query(url, waiting)).toHaveLength(1) }
}

const agentLock = (kind: string) => `select pg_advisory_xact_lock${kind}(${0x61_67_65_6e}, hashtext('fay'))`

test("T59 the work behind a turn waits neither for other work of its agent nor for the first memory of another user", async () => {
  const { key, store, other, work } = await beside()
  await other.query(agentLock("_shared"))
  await other.query("insert into memory_scopes (agent, scope, last_deletion, sequence) values ('fay', '', 0, 0)")
  await work()
  expect(await store.receipts.ofTurn("turn", key)).toHaveLength(1)
})

test("T59 the work behind a turn waits for a deletion of its agent's memories, and a deletion for the work", async () => {
  const { store, other, work, isWaiting, key } = await beside()
  await other.query(agentLock(""))
  const waiting = work()
  await isWaiting()
  await other.query("commit")
  await waiting
  await other.query("begin")
  await other.query(agentLock("_shared"))
  const forgotten = store.forget({ agent: key.agent, user: key.user })
  await isWaiting()
  await other.query("commit")
  expect(await forgotten).toMatchObject({ session: 1, receipt: 1 })
})

/** A statement as `pg` gets it. */
interface Sent {
  readonly text: string
  readonly name?: string
  readonly values?: readonly unknown[]
}

/** The statements that a store sends while it does something, with their names. */
async function sentBy(work: () => Promise<unknown>): Promise<readonly Sent[]> {
  const spy = vi.spyOn(pg.Client.prototype, "query")
  onTestFinished(() => spy.mockRestore())
  await work()
  const calls = spy.mock.calls as unknown as readonly (readonly [string | Sent, readonly unknown[]])[]
  const sent = calls.map(([given, values]) => (typeof given === "string" ? { text: given, values } : given))
  spy.mockRestore()
  return sent
}

test("T60 a turn adds all its jobs in two statements, which read none of the jobs that are done", async () => {
  const { url, store, key } = await beside()
  await query(url, "update pgboss.job set state = 'completed', completed_on = now() where name like 'promptstrata/%'")
  const done = `insert into pgboss.job (id, name, data, singleton_key, state, policy, completed_on, keep_until)
    select gen_random_uuid(), name, data, singleton_key, 'completed', policy, now(), now() + interval '1 day'
    from pgboss.job, generate_series(1, 3000) where name like 'promptstrata/%'`
  await query(url, done)
  await query(url, "analyze pgboss.job_common")
  const jobs = ["a", "b", "c"].map((kind) => jobOf(`next:${kind}`, key, { kind, turnId: "next" }))
  const sent = (await sentBy(() => commitJobs(store, key, jobs))).filter(({ text }) => text.includes("pgboss"))
  expect(sent).toHaveLength(2)
  const order = await query(url, "select data->>'kind' as kind from pgboss.job where state = 'created' order by created_on")
  expect(order.map(({ kind }) => kind)).toEqual(["a", "b", "c"])
  const { text = "", values } = sent.at(-1) ?? {}
  const plan = await query<{ readonly "QUERY PLAN": string }>(url, `explain (analyze) ${text}`, values)
  const passedOver = plan.flatMap((row) => /Rows Removed by Filter: (\d+)/.exec(row["QUERY PLAN"])?.[1] ?? [])
  expect(plan.length).toBeGreaterThan(10)
  expect(passedOver.filter((rows) => Number(rows) > 10)).toEqual([])
})

test.each([true, false])("T60 statements that come again have names, not behind a pooler: %s", async (listen) => {
  const store = await openStoreFor(await makeDatabase(), { jobs: { listen } })
  const key = keyOf("talk")
  const turns = async (): Promise<void> => {
    for (const id of ["one", "two", "three"]) await commitJobs(store, key, [jobOf(id, key)])
  }
  await turns()
  const sent = await sentBy(turns)
  const [withValues, others] = [true, false].map((has) => sent.filter(({ text }) => /\$1/.test(text) === has))
  expect(withValues?.length).toBeGreaterThan(10)
  expect(withValues?.filter(({ name }) => (name !== undefined) !== listen).map(({ text }) => text)).toEqual([])
  expect(others?.length).toBeGreaterThan(5)
  expect(others?.filter(({ name }) => name !== undefined).map(({ text }) => text)).toEqual([])
})

test("T60 a process looks for the jobs of dead processes again and again, with statements of which several stand in one text", async () => {
  const url = await makeDatabase()
  const told: string[] = []
  const store = await openStoreFor(url, { onWarning: (message) => void told.push(message) })
  const key = keyOf("talk")
  await commitJobs(store, key, [jobOf("turn", key)])
  await store.jobs.start({ work: async () => undefined }, { agent: key.agent })
  const looks = new Set<string>()
  const look = async (): Promise<boolean> => {
    const text = "select monitor_on::text as at from pgboss.queue where name like 'promptstrata/%' and monitor_on is not null"
    for (const { at } of await query<{ at: string }>(url, text)) looks.add(at)
    return told.length > 0 || looks.size > 2
  }
  await expect.poll(look).toBe(true)
  expect(told).toEqual([])
})
