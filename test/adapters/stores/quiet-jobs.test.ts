import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { Timers } from "../../../src/core/ports.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Job } from "../../../src/memory/services/store/job-runner.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { type ManualClock, manualClock, manualTimers } from "../../../src/testing/index.ts"
import { backgroundModel } from "../../support/remembering.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const stores: readonly (readonly [string, (clock: ManualClock, timers: Timers) => Promise<Store> | Store])[] = [
  ["memory", (clock, timers) => createInMemoryStore({ ports: { clock, timers } })],
  ["a file", (clock) => openSqliteStore(join(tempFolder(), "store.sqlite"), { clock })],
]

/** A store whose jobs of the kind `work` note their id, and a commit of one job. */
async function scene(open: (typeof stores)[number][1]) {
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const timers = manualTimers(clock)
  const store = await open(clock, timers)
  onTestFinished(() => store.close())
  const done: string[] = []
  const waiting: (() => void)[] = []
  await store.jobs.start({
    work: async ({ id }) => {
      done.push(id)
      for (const check of waiting) check()
    },
  })
  const commit = async (id: string, conversation: string, more: Partial<Job> = {}): Promise<void> => {
    const key = { agent: "mira", conversation, audience: "private", user: "ann" } as const
    const job: Job = { id, kind: "work", key, turnId: id, atMs: clock.nowMs(), payload: {}, ...more }
    const record = await store.load(key)
    await store.commit(key, { expectVersion: record?.version ?? 0, append: [], state: {}, jobs: [job] })
  }
  const isDone = (id: string) =>
    new Promise<void>((resolve) => {
      const check = (): void => (done.includes(id) ? resolve() : undefined)
      waiting.push(check)
      check()
    })
  return { store, pass: timers.advance, done, commit, isDone }
}

test.each(stores)("M15 in %s a job that may wait is done when a later one follows it", async (_, open) => {
  const { done, commit, isDone } = await scene(open)
  await commit("first", "talk", { quiet: true })
  await commit("other", "another talk")
  await isDone("other")
  expect(done).toEqual(["other"])
  await commit("second", "talk", { quiet: true })
  await isDone("first")
  expect(done).toEqual(["other", "first"])
})

test.each(stores)("M15 in %s a job that may wait is done after a quiet minute", async (_, open) => {
  const { pass, done, commit, isDone } = await scene(open)
  await commit("first", "talk", { quiet: true })
  pass(59_999)
  await commit("other", "another talk")
  await isDone("other")
  expect(done).toEqual(["other"])
  pass(1)
  await commit("later", "another talk")
  await isDone("first")
})

test.each(stores)("M15 in %s whoever waits for the work ends the wait, and one who closes does", async (_, open) => {
  const { store, done, commit } = await scene(open)
  await commit("first", "talk", { quiet: true })
  await store.jobs.idle()
  expect(done).toEqual(["first"])
  await commit("second", "talk", { quiet: true })
  await store.jobs.idle({ own: true, agent: "mira" })
  await store.jobs.close({ drainMs: 1_000 })
  expect(done).toEqual(["first", "second"])
})

test.each(stores)("M15 in %s a job that waits for its next attempt is hastened by nothing", async (_, open) => {
  const { store, pass, done, commit } = await scene(open)
  let tries = 0
  await store.jobs.start({
    work: async ({ id }) => {
      if (id === "first" && ++tries === 1) throw new Error("not now")
      done.push(id)
    },
  })
  await commit("first", "talk", { quiet: true })
  pass(60_000)
  await store.jobs.idle()
  await commit("second", "talk", { quiet: true })
  await store.jobs.idle()
  expect([tries, done]).toEqual([1, []])
})

const profile = resolveProfile({ locale: "en", persona: "You are Mira.", agent: { id: "mira" }, memory: { reflectEvery: 0 } })

test("M15 a process that ends in the middle of a batch loses none of it: the next one judges all of its turns at once", async () => {
  const file = join(tempFolder(), "store.sqlite")
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const killed = await openSqliteStore(file, { clock })
  const model = backgroundModel({ batch: '{"importance": 8, "profile": {}}' })
  const agent = createAgent({ profile, model, store: killed, ports: { clock } })
  for (const text of ["I live in Oslo.", "My cat is Tom."]) await agent.session("talk").send(text).result
  await killed.close()
  expect(model.count("importance-and-profile")).toBe(0)
  clock.advance(60_000)
  const store = await openSqliteStore(file, { clock })
  const next = createAgent({ profile, model, store, ports: { clock } })
  await next.idle()
  await next.close()
  const key = { agent: "mira", conversation: "talk", audience: "private", user: "talk" } as const
  const kept = await store.memories.recent(key, { limit: 9 })
  await store.close()
  expect([model.count("importance-and-profile"), model.count("importance"), model.count("user-profile")]).toEqual([1, 0, 0])
  expect(kept.map(({ text }) => text)).toEqual(expect.arrayContaining(["I live in Oslo.", "My cat is Tom."]))
})

test("M15 turns that a quiet minute had judged are not judged again with the next batch", async () => {
  const model = backgroundModel({ batch: '{"importance": 8, "profile": {}}' })
  const store = createInMemoryStore()
  const agent = createAgent({ profile, model, store })
  await agent.session("talk").send("I live in Oslo.").result
  await agent.session("talk").send("My cat is Tom.").result
  await agent.idle()
  for (let turn = 2; turn < 10; turn++) await agent.session("talk").send(`I saw ${turn} gulls.`).result
  await agent.close()
  const asked = model.asked
    .filter(({ facts }) => facts?.prompt === "importance-and-profile")
    .map((request) => JSON.stringify(request))
  expect(asked).toHaveLength(2)
  expect(asked[1]).toContain("I saw 2 gulls.")
  expect(asked[1]).not.toContain("My cat is Tom.")
})
