import { expect, onTestFinished, test } from "vitest"
import type { StoreRow } from "../../../src/memory/services/store/store-row.ts"
import { stores } from "./alike.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
const rowOf = (id: string, rest: Partial<Extract<StoreRow, { table: "job" }>> = {}) =>
  JSON.stringify({ table: "job", job: { id, kind: "work", key, turnId: id, atMs: 0, payload: {} }, attempts: 0, ...rest })

test.each(stores)("jobs of an import begin at once where handlers run, in %s, but no dead letters", async (_, open) => {
  const store = await open()
  onTestFinished(() => store.close())
  const ran: string[] = []
  await store.jobs.start({ work: async ({ id }) => void ran.push(id) })
  const lines = [rowOf("a"), rowOf("b"), rowOf("dead", { attempts: 5, error: "no more" })]
  expect(await store.import(lines)).toEqual({ job: 3 })
  await store.jobs.idle()
  expect(ran).toEqual(["a", "b"])
  expect((await store.jobs.dead()).map(({ job }) => job.id)).toEqual(["dead"])
  expect(await store.import(lines), "what is known already").toEqual({})
})
