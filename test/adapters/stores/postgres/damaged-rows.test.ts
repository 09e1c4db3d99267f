import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openPostgresStore } from "../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import { jobUuid } from "../../../../src/adapters/stores/postgres/stored-job.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { fillBodies, keyOf } from "../filled-store.ts"
import { makeDatabase, query } from "./support/database.ts"

const bodies = [
  ["sessions", "whole_state"],
  ["state_changes", "body"],
  ["messages", "body"],
  ["notes", "body"],
  ["memories", "body"],
  ["statements", "body"],
  ["receipts", "body"],
] as const

async function filledStore(conversations: readonly string[]) {
  const url = await makeDatabase()
  const warnings: string[] = []
  const store = await openPostgresStore({ url, onWarning: (message) => warnings.push(message) })
  onTestFinished(() => store.close())
  await fillBodies(store, conversations.map(keyOf))
  return { url, store, warnings }
}

/** A text with the lowest bit of one of its characters flipped. */
const flipped = (text: string, at: number) =>
  text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1)

test("a flipped bit in any body on PostgreSQL is found by check", async () => {
  const { url, store } = await filledStore(["a"])
  expect(await store.check()).toMatchObject({ ok: true, problems: [] })
  const found = async (table: string) =>
    expect((await store.check()).problems, table).toEqual([expect.stringMatching(new RegExp(`^${table}[ :]`))])
  for (const [table, column] of bodies) {
    const [row] = await query<{ id: string; body: string }>(
      url,
      `select ctid::text as id, ${column} as body from ${table} limit 1`,
    )
    for (const at of [1, (row?.body.length ?? 0) - 20, (row?.body.length ?? 0) - 1]) {
      await query(url, `update ${table} set ${column} = $1 where ${column} = $2`, [flipped(row?.body ?? "", at), row?.body])
      await found(table)
      await query(url, `update ${table} set ${column} = $2 where ${column} = $1`, [flipped(row?.body ?? "", at), row?.body])
    }
  }
  const bit = (at: number) =>
    query(url, "update vectors set vector = set_bit(vector, $1, 1 - get_bit(vector, $1)) where memory_id = 'memory-a'", [at])
  for (let at = 0; at < 64; at += 9) {
    await bit(at)
    await found("vectors")
    await bit(at)
  }
  const [job] = await query<{ data: Record<string, string> }>(
    url,
    "select data from pgboss.job where starts_with(name, 'promptstrata/')",
  )
  const put = (data: object) => query(url, "update pgboss.job set data = $1 where starts_with(name, 'promptstrata/')", [data])
  for (const [name, text] of Object.entries(job?.data ?? {})) {
    await put({ ...job?.data, [name]: flipped(text, 1) })
    await found("jobs")
    await put(job?.data ?? {})
  }
  expect(await store.check()).toMatchObject({ ok: true })
})

test("repair on PostgreSQL moves damaged jobs to the file, too, and those behind them run", async () => {
  const { url, store } = await filledStore(["a", "b"])
  const version = (await store.load(keyOf("a")))?.version ?? 0
  const job = { id: "job-next", kind: "memory", key: { ...keyOf("a"), user: "ann" }, turnId: "turn-next", atMs: 1, payload: {} }
  await store.commit(keyOf("a"), { expectVersion: version, append: [], state: {}, jobs: [job] })
  await query(url, "update pgboss.job set data = jsonb_set(data, '{body}', '\"{\"') where id = $1", [jobUuid("job-a")])
  const file = join(tempFolder(), "damaged.jsonl")
  const repaired = await store.repair(file)
  expect(repaired).toMatchObject([{ table: "jobs", columns: { id: jobUuid("job-a") }, lost: "this background work" }])
  expect(readFileSync(file, "utf8")).toBe(`${JSON.stringify(repaired[0])}\n`)
  expect(JSON.parse(repaired[0]?.body ?? "")).toMatchObject({ conversation: expect.any(String), body: "{" })
  expect(await store.check()).toMatchObject({ ok: true, counts: { job: 2 } })
  const done: string[] = []
  await store.jobs.start({ memory: async ({ id }) => void done.push(id) }, { agent: "fay" })
  await expect.poll(() => done.toSorted()).toEqual(["job-b", "job-next"])
})

test("a damaged job on PostgreSQL is told once and not run, and other conversations go on", async () => {
  const { url, store, warnings } = await filledStore(["a", "b"])
  await query(url, "update pgboss.job set data = jsonb_set(data, '{body}', '\"{\"') where data->>'conversation' = 'a'")
  const done: string[] = []
  await store.jobs.start({ memory: async ({ id }) => void done.push(id) }, { agent: "fay" })
  await expect.poll(() => done).toEqual(["job-b"])
  await store.jobs.idle()
  expect(warnings).toEqual([expect.stringMatching(/^jobs: .*the row is damaged/i)])
})
