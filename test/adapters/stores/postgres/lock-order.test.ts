import pg from "pg"
import { expect, onTestFinished, test } from "vitest"
import { keyOf } from "../filled-store.ts"
import { makeDatabase, query } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf } from "./support/turns.ts"

/** A store, and another transaction that holds locks. */
async function beside() {
  const url = await makeDatabase()
  const store = await openStoreFor(url)
  const other = new pg.Client(url)
  await other.connect()
  onTestFinished(() => other.end())
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  const isWaiting = () => expect.poll(() => query(url, waiting)).toHaveLength(1)
  return { store, other, isWaiting }
}

test("a memory of a new group waits for a deletion of its agent without holding its user's scope", async () => {
  const { store, other, isWaiting } = await beside()
  const key = { ...keyOf("a"), audience: "group" as const }
  const memory = (id: string, conversation: string) => {
    const owner = { ...key, conversation }
    const text = { id, kind: "dialogue", text: id, speaker: { id: key.user, name: "Ann" }, turnId: id, turn: 0, atMs: 1 } as const
    return store.memories.put({ ...owner, ...text }, { hash: id, key: owner })
  }
  await memory("first", "a")
  await other.query("begin")
  await other.query("update memory_scopes set last_deletion = last_deletion where scope = ''")
  const put = memory("second", "b")
  await isWaiting()
  await other.query("select 1 from memory_scopes where scope like 'user:%' for update nowait")
  await other.query("commit")
  expect(await put).toMatchObject({ stored: true })
})

test("a deletion waits for a turn's session without holding its jobs", async () => {
  const { store, other, isWaiting } = await beside()
  const key = keyOf("a")
  await commitJobs(store, key, [jobOf("job", key)])
  await other.query("begin")
  await other.query("update sessions set version = version")
  const forgotten = store.forget({ agent: key.agent, user: key.user })
  await isWaiting()
  await other.query("select 1 from pgboss.job where data->>'conversation' = 'a' for update nowait")
  await other.query("commit")
  expect(await forgotten).toMatchObject({ session: 1, job: 1 })
})
