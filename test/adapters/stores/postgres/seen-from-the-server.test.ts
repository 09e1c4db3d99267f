import { beforeEach, describe, expect, test } from "vitest"
import { openPostgresStore } from "../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { hostTimers, type Timers } from "../../../../src/core/ports.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { collect } from "../../../support/collect.ts"
import { makeDatabase, query } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

let url = ""
beforeEach(async () => {
  url = await makeDatabase()
})

const key = keyOf("talk")

/** Where a user has stated nothing, no statement is looked for. */
const fact = {
  name: "home",
  value: "Oslo",
  confidence: 1,
  turnId: "one",
  conversation: "talk",
  audience: "private",
  atMs: 1,
} as const

/** Everything of a store that asks the database. */
const uses: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ["load", (store) => store.load(key)],
  ["commit with a job", (store) => commitJobs(store, key, [jobOf("late", key)])],
  ["jobs.start", (store) => store.jobs.start({}, { agent: "fay" })],
  ["jobs.dead", (store) => store.jobs.dead()],
  ["jobs.idle", (store) => store.jobs.idle()],
  ["memories", (store) => store.memories.recent(key, { limit: 1 })],
  ["profile", (store) => store.users.load(key)],
  ["receipts", (store) => store.receipts.ofTurn("t", key)],
  ["check", (store) => store.check()],
  ["export", (store) => collect(store.export({ agent: "fay" }))],
  ["forget", (store) => store.forget({ agent: "fay" })],
]

/** Each answer with the uses that have it. */
async function told(store: Store): Promise<string> {
  const lines = new Map<string, string[]>()
  for (const [use, run] of uses) {
    const said = await run(store).then(
      () => "done",
      (error: unknown) => {
        if (!PromptStrataError.isInstance(error)) throw error
        return `${error.code}: ${error.message}\n${JSON.stringify(error.evidence)}`
      },
    )
    const general = said.replaceAll(new URL(url).pathname, "/DATABASE").replaceAll(new URL(url).host, "HOST")
    lines.set(general, [...(lines.get(general) ?? []), use])
  }
  return [...lines].map(([said, by]) => `- ${by.join(", ")}:\n  ${said.replaceAll("\n", "\n  ")}\n`).join("")
}

describe("a store on PostgreSQL, seen from the server", () => {
  test("is told of tables that somebody has removed, use by use, and of nothing else when it was closed", async () => {
    const store = await openPostgresStore({ url, onWarning: () => undefined })
    await commitJobs(store, key, [jobOf("one", key)])
    await store.users.append([fact], { turnId: "one", expectVersion: 0, key })
    await query(url, "drop schema pgboss cascade")
    const withoutJobs = await told(store)
    await query(url, "drop table sessions, memories, messages, statements, receipts cascade")
    const without = await told(store)
    await store.close()
    const scenes = { "without the tables of jobs": withoutJobs, "without most tables": without, closed: await told(store) }
    const text = Object.entries(scenes).map(([scene, lines]) => `# ${scene}\n\n${lines}`)
    await expect(text.join("\n")).toMatchFileSnapshot("removed-tables.md")
  })

  test("has connections that say whose they are, no more than it may have, and none when it was closed", async () => {
    const connections = () =>
      query<{ name: string; count: number }>(
        url,
        `select application_name as name, count(*)::int as count from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() group by 1 order by 1`,
      )
    const store = await openStoreFor(url, { maxConnections: 3 })
    await store.jobs.start({ work: async () => undefined }, { agent: "fay" })
    await Promise.all(Array.from({ length: 20 }, (_, at) => store.load(keyOf(`talk ${at}`))))
    await expect.poll(connections).toEqual([
      { name: "promptstrata", count: 3 },
      { name: "promptstrata listening", count: 1 },
    ])
    await store.close()
    await expect.poll(connections).toEqual([])
  })

  test("waits between its questions for jobs that another process runs, until they have ended", async () => {
    const waits: number[] = []
    const timers: Timers = {
      ...hostTimers,
      set(run, ms) {
        waits.push(ms)
        return hostTimers.set(run, ms)
      },
    }
    const [here, there] = [await openStoreFor(url, { timers }), await openStoreFor(url)]
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const work = async () => {
      begun.resolve()
      await gate.promise
    }
    await there.jobs.start({ work }, { agent: "fay" })
    await commitJobs(there, key, [jobOf("theirs", key)])
    await begun.promise
    await here.jobs.start({ work: async () => undefined }, { agent: "fay" })
    let isIdle = false
    const idle = here.jobs.idle().then(() => {
      isIdle = true
    })
    const asked = () => waits.filter((ms) => ms < 1_000).length
    const before = asked()
    await expect.poll(asked).toBeGreaterThan(before + 2)
    expect(isIdle).toBe(false)
    gate.resolve()
    await idle
    expect((await here.check()).counts.job).toBe(0)
  })
})
