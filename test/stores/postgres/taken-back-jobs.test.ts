import { beforeAll, expect, test } from "vitest"
import type { ServiceKey } from "../../../src/core/conversation.ts"
import { collect } from "../../support/collect.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

let url = ""
beforeAll(async () => {
  url = await makeDatabase()
})

test("jobs of turns that are set aside go; those of other turns, and of a group of the same name, stay", async () => {
  const store = await openStoreFor(url)
  const key = keyOf("c")
  const group: ServiceKey = { ...key, audience: "group" }
  await commitJobs(store, key, [jobOf("kept", key, { turnId: "t1" })])
  await commitJobs(store, key, [jobOf("gone", key, { turnId: "t2" })])
  await commitJobs(store, group, [jobOf("of the group", group, { turnId: "t2" })])
  await store.commit(key, { expectVersion: 2, append: [], state: {}, jobs: [], after: "t1" })
  const rows = await collect(store.export({ agent: "fay" }))
  const jobs = rows.map((row) => JSON.parse(row) as { readonly table: string; readonly job: { readonly id: string } })
  expect(jobs.flatMap(({ table, job }) => (table === "job" ? [job.id] : []))).toEqual(["kept", "of the group"])
  await store.close()
})
