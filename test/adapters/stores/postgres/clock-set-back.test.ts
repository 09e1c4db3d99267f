import { describe, expect, test } from "vitest"
import { makeDatabase, query } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

const key = keyOf("c")

/** A database with jobs, and the statement that gives them the times of a server whose clock was then set back by an hour. */
async function withJobs(ids: readonly string[]) {
  const url = await makeDatabase()
  const store = await openStoreFor(url)
  const commit = (id: string) => commitJobs(store, key, [jobOf(id, key)])
  for (const id of ids) await commit(id)
  const change = (columns: string) => query(url, `update pgboss.job set ${columns} where state < 'completed'`)
  const done: string[] = []
  const start = () => store.jobs.start({ work: async ({ id }) => void done.push(id) }, { agent: key.agent })
  return { url, commit, change, done, start }
}

describe("when the clock of the server is set back by an hour, a job on PostgreSQL", () => {
  test("does not wait for a heartbeat of before: the lease of its process counts from now", async () => {
    const { url, change, done, start } = await withJobs(["a"])
    const later = "now() + interval '1 hour'"
    await change(`state = 'active', started_on = ${later}, heartbeat_on = ${later}`)
    await start()
    const held = "select 1 from pgboss.job where state = 'active' and started_on <= now() and heartbeat_on <= now()"
    await expect.poll(() => query(url, held)).toHaveLength(1)
    expect(done).toEqual([])
    await change("heartbeat_on = now() - interval '31 seconds'")
    await expect.poll(() => done).toEqual(["a"])
  })

  test("keeps the lease of a process whose heartbeat lies a little ahead", async () => {
    const { url, change, start } = await withJobs(["a"])
    await change("state = 'active', started_on = now(), heartbeat_on = now() + interval '59 seconds'")
    const beat = () => query(url, "select heartbeat_on from pgboss.job where state = 'active'")
    const before = await beat()
    await start()
    const supervised = "select 1 from pgboss.queue where starts_with(name, 'promptstrata/') and monitor_on is not null"
    await expect.poll(() => query(url, supervised)).toHaveLength(1)
    expect(await beat()).toEqual(before)
  })

  test("does not wait an hour longer for its next attempt", async () => {
    const { change, done, start } = await withJobs(["a"])
    await change("state = 'retry', retry_count = 1, started_on = now(), start_after = now() + interval '1 hour'")
    await start()
    await expect.poll(() => done).toEqual(["a"])
  })

  test("that is new is due at once, and comes after the earlier ones of its conversation", async () => {
    const { url, commit, change, done, start } = await withJobs(["a", "b"])
    await change("created_on = created_on + interval '1 hour'")
    await commit("c")
    const ahead = "select 1 from pgboss.job where state = 'created' and start_after > now() - interval '1 day'"
    expect(await query(url, ahead)).toEqual([])
    await start()
    await expect.poll(() => done).toEqual(["a", "b", "c"])
  })
})
