import { beforeAll, expect, test } from "vitest"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
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
  const done: string[] = []
  await store.jobs.start({ work: async ({ id }) => void done.push(id) })
  await store.jobs.idle()
  expect(done.sort()).toEqual(["kept", "of the group"])
  await store.close()
})
