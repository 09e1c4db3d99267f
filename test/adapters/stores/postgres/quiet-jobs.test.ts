import { expect, test } from "vitest"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

test("M15 a job that may wait runs when a later one follows it, or when somebody waits for it, and not before", async () => {
  const store = await openStoreFor(await makeDatabase())
  const done: string[] = []
  const waiting: (() => void)[] = []
  const isDone = (id: string) =>
    new Promise<void>((resolve) => {
      const check = (): void => (done.includes(id) ? resolve() : undefined)
      waiting.push(check)
      check()
    })
  await store.jobs.start({
    work: async ({ id }) => {
      done.push(id)
      for (const check of waiting) check()
    },
  })
  const [talk, other] = [keyOf("talk"), keyOf("other")]
  const quietJob = (id: string) => ({ ...jobOf(id, talk), atMs: Date.now(), quiet: true as const })
  await commitJobs(store, talk, [quietJob("first")])
  await commitJobs(store, other, [jobOf("other", other)])
  await isDone("other")
  expect(done).toEqual(["other"])
  await commitJobs(store, talk, [quietJob("second")])
  await isDone("first")
  expect(done).toEqual(["other", "first"])
  await store.jobs.idle()
  expect(done).toEqual(["other", "first", "second"])
})
