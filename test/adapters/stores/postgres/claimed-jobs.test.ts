import type { Pool } from "pg"
import type { PgBoss } from "pg-boss"
import { expect, test } from "vitest"
import { ClaimedJobs } from "../../../../src/adapters/stores/postgres/claimed-jobs.ts"
import { jobOf, keyOf } from "./support/turns.ts"

test.each([
  { affected: 1, waits: 1, name: "waits before its next attempt" },
  { affected: 0, waits: 0, name: "that another process has taken meanwhile is left to it, without a wait" },
])("a failed job $name", async ({ affected, waits }) => {
  const asked: string[] = []
  const query = async (sql: string) => {
    asked.push(sql)
    return { rows: [], rowCount: 0 }
  }
  const pool = { query, connect: async () => ({ query, release: () => undefined }) } as unknown as Pool
  const engine = { fail: async () => ({ affected }) } as unknown as PgBoss
  const jobs = new ClaimedJobs(engine, pool, { jobSchema: "s", channel: "c", onWarning: () => undefined })
  await jobs.fail({ queue: "q", id: "1", retryCount: 0, job: jobOf("j", keyOf("c")) }, "no", 5_000)
  expect(asked.filter((sql) => sql.includes("set start_after"))).toHaveLength(waits)
})
