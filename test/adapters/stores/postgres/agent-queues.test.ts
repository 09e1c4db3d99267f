import type { PgBoss } from "pg-boss"
import { expect, test } from "vitest"
import { agentQueues } from "../../../../src/adapters/stores/postgres/job-engine.ts"
import { postgresSettings } from "../../../../src/adapters/stores/postgres/postgres-options.ts"

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
