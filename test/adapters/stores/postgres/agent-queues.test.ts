import type { PgBoss } from "pg-boss"
import { expect, test } from "vitest"
import { agentQueues } from "../../../../src/adapters/stores/postgres/job-engine.ts"
import { postgresSettings } from "../../../../src/adapters/stores/postgres/postgres-options.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

test("a queue is made once for each agent, and again after it could not be made", async () => {
  const made: string[] = []
  let isDown = true
  const createQueue = async (name: string) => {
    made.push(name)
    if (isDown) throw new Error("down")
  }
  const engine = { createQueue, insert: async () => [] } as unknown as PgBoss
  const queueFor = agentQueues(engine, postgresSettings({ url: "postgres://localhost/x" }))
  await expect(queueFor("fay")).rejects.toThrow("down")
  isDown = false
  const [name, again] = await Promise.all([queueFor("fay"), queueFor("fay")])
  expect([again, await queueFor("fay")]).toEqual([name, name])
  expect(made).toEqual([name, name])
  expect(await queueFor("luna")).not.toBe(name)
})

test("M33 more turns than connections, at the same time as jobs are begun, wait for no connection that another turn holds", async () => {
  const store = await openStoreFor(await makeDatabase(), { maxConnections: 2 })
  const talks = Array.from({ length: 12 }, (_, at) => keyOf(`talk ${at}`))
  const done: string[] = []
  const begin = () => store.jobs.start({ work: async ({ id }) => void done.push(id) }, { agent: "fay" })
  for (const round of ["first", "second", "third"]) {
    const turns = talks.map((key, at) => commitJobs(store, key, [jobOf(`${round} ${at}`, key)]))
    await Promise.all([begin(), ...turns])
  }
  await store.jobs.idle()
  expect(done).toHaveLength(36)
})
