import { expect, test } from "vitest"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import type { Job } from "../../../../src/memory/services/store/job-runner.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { backgroundModel, outcomesOf } from "../../../support/remembering.ts"
import { makeDatabase, query } from "./support/database.ts"
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

const talk = keyOf("talk")
const waitingJob = (id: string, more: Partial<Job> = {}): Job => ({
  ...jobOf(id, talk),
  atMs: Date.now(),
  quiet: true,
  joins: true,
  ...more,
})

const isWaiting =
  "select start_after > now() + interval '60 seconds' as waits from pgboss.job where state = 'created' and name like 'promptstrata/%'"

test("T61 a job that joins takes the place of one that waits: of a batch one job waits, due a minute after its last turn", async () => {
  const url = await makeDatabase()
  const store = await openStoreFor(url)
  for (const id of ["first", "second", "third"]) await commitJobs(store, talk, [waitingJob(id, { atMs: Date.now() + 1_000 })])
  expect(await query(url, isWaiting)).toEqual([{ waits: true }])
  await commitJobs(store, talk, [waitingJob("last", { quiet: undefined })])
  const done: string[] = []
  await store.jobs.start({ work: async ({ id }) => void done.push(id) })
  await store.jobs.idle()
  expect(done).toEqual(["last"])
})

test.each<[string, Partial<Job>, Partial<Job>]>([
  ["of another kind", { kind: "other" }, {}],
  ["of another user", { key: { ...talk, user: "bob" } }, {}],
  ["that does not join", { joins: undefined }, {}],
  ["whose quiet minute is over", { atMs: 0 }, {}],
  ["of another conversation", { key: keyOf("other") }, {}],
  ["where it does not join itself", {}, { joins: undefined }],
])("T61 a job takes no place of one %s: both are done", async (_, first, second) => {
  const store = await openStoreFor(await makeDatabase())
  const jobs = [waitingJob("first", first), waitingJob("second", second)]
  for (const job of jobs) await commitJobs(store, job.key, [job])
  const done: string[] = []
  const work = async ({ id }: Job): Promise<void> => void done.push(id)
  await store.jobs.start({ work, other: work })
  await store.jobs.idle()
  expect(done.sort()).toEqual(["first", "second"])
})

test("T61 a job that is set aside with its turn brings back none that it took the place of, and later turns are joined again", async () => {
  const url = await makeDatabase()
  const store = await openStoreFor(url)
  for (const id of ["first", "second"]) await commitJobs(store, talk, [waitingJob(id)])
  const record = await store.load(talk)
  await store.commit(talk, { expectVersion: record?.version ?? 0, append: [], state: {}, jobs: [], after: "first" })
  expect(await query(url, isWaiting)).toEqual([])
  for (const id of ["third", "fourth"]) await commitJobs(store, talk, [waitingJob(id)])
  const done: string[] = []
  await store.jobs.start({ work: async ({ id }) => void done.push(id) })
  await store.jobs.idle()
  expect(done).toEqual(["fourth"])
})

const profile = resolveProfile({ locale: "en", persona: "You are Mira.", agent: { id: "mira" }, memory: { reflectEvery: 0 } })

test("T61 a process that goes in the middle of a batch loses none of it: another one judges its turns at once", async () => {
  const url = await makeDatabase()
  const model = backgroundModel({ batch: '{"importance": 8, "profile": {}}' })
  const gone = createAgent({ profile, model, store: await openStoreFor(url), runJobs: false })
  const from = { id: "ann", name: "Ann" }
  const said = ["I live in Oslo.", "My cat is Tom.", "I like plums."]
  const turnIds: string[] = []
  for (const text of said) turnIds.push((await gone.session("talk").send(text, { from }).result).trace.turnId)
  expect(await query(url, isWaiting.replace("60", "1"))).toEqual([{ waits: true }])
  const store = await openStoreFor(url)
  const next = createAgent({ profile, model, store })
  await next.idle()
  const [key, later] = ["talk", "later"].map((name) => keyOf(name, { agent: "mira" })) as [ServiceKey, ServiceKey]
  const kept = await store.memories.recent(key, { limit: 9 })
  expect(model.count("importance-and-profile")).toBe(1)
  expect(kept.map(({ text }) => text)).toEqual(expect.arrayContaining(said))
  const outcomes = await Promise.all(turnIds.map(async (turnId) => outcomesOf(await store.receipts.ofTurn(turnId, key))))
  const judged = ["batch ok", "importance ok", "profile empty", "store ok", "reflect skipped"]
  expect(outcomes).toEqual([["batch ok"], ["batch ok"], judged])
  // Each of the next turns recalls some of them; their uses are noted once, with the last one.
  for (const text of ["Where do I live, in Oslo?", "And the cat, Tom?"])
    turnIds.push((await next.session("later").send(text, { from }).result).trace.turnId)
  await next.idle()
  const [fourth = [], fifth = []] = await Promise.all(turnIds.slice(3).map((turnId) => store.receipts.ofTurn(turnId, later)))
  expect([outcomesOf(fourth), outcomesOf(fifth)[1]]).toEqual([["batch ok"], "use ok"])
  const recalled = [...fourth, ...fifth].flatMap(({ value }) => (value?.recalled ?? []) as string[])
  const used = (await store.memories.recent(key, { limit: 99 })).flatMap(({ id, usedAtMs }) =>
    usedAtMs === undefined ? [] : [id],
  )
  expect(used.sort()).toEqual([...new Set(recalled)].sort())
  expect(used.length).toBeGreaterThan(0)
  await next.close()
  await gone.close()
})
