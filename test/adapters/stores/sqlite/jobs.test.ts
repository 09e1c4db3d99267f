import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { LogEvent } from "kysely"
import { describe, expect, onTestFinished, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { largestSlice } from "../../../support/slices.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { commit, processes, settle, working } from "./support/processes.ts"
import { agent } from "./support/turns.ts"

const second = 1_000

describe("T33 the jobs of a file", () => {
  test("T39 that only compute give other work of the process its turn: a slice has at most 8 ms of work", async () => {
    const { open, clock } = processes()
    const store = await open()
    const [conversations, jobs] = [10, 10]
    for (let at = 0; at < conversations * jobs; at++) await commit(store, `t${at}`, `c${at % conversations}`)
    let worked = 0
    const slices: number[] = []
    let isOver = false
    const watching = (async () => {
      for (let before = 0; !isOver; before = worked) {
        await new Promise(setImmediate)
        slices.push(worked - before)
      }
    })()
    const done = await working(store, () => {
      worked += 2
      clock.advance(2)
    })
    await store.jobs.idle()
    isOver = true
    await watching
    expect(done).toHaveLength(conversations * jobs)
    expect(Math.max(...slices)).toBeLessThanOrEqual(8)
  })

  test("T39 that wait by the hundred and do nothing leave other work its turn: the runner's own statements take at most 8 ms of a slice", async () => {
    let count = (_: number): void => undefined
    // As measured with 2,000 waiting jobs: a look for the due ones reads all that wait, another statement one row.
    const log = ({ query }: LogEvent): void => count(query.sql.startsWith('select "id", "body" from "jobs"') ? 1 : 0.1)
    const store = await openSqliteStore(join(tempFolder(), "store.sqlite"), { log, clock: manualClock(1_000_000) })
    onTestFinished(() => store.close())
    const jobs = 600
    await Promise.all(Array.from({ length: jobs }, (_, at) => commit(store, `t${at}`, `c${at}`)))
    let done: readonly string[] = []
    let all = 0
    const largest = await largestSlice(async (counted) => {
      count = (work) => {
        all += work
        counted(work)
      }
      done = await working(store)
      await store.jobs.idle()
    })
    expect(done).toHaveLength(jobs)
    expect(all).toBeGreaterThan(jobs * 0.2)
    expect(largest).toBeLessThanOrEqual(8)
  })

  test("are done by one process; what another one commits is found by looking", async () => {
    const { open, timers } = processes()
    const [first, other] = [await open(), await open()]
    const ofFirst = await working(first)
    await commit(first, "earlier")
    await settle()
    const ofOther = await working(other)
    await commit(other, "turn")
    await settle()
    expect([ofFirst, ofOther]).toEqual([["earlier"], []])
    timers.advance(second)
    await settle()
    expect([ofFirst, ofOther]).toEqual([["earlier", "turn"], []])
  })

  test("are taken over once their process has not been heard of for the time of its lease, not before", async () => {
    const { open, timers, file } = processes({ leaseMs: 15 * second })
    const store = await open()
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    // A killed process leaves only its lease.
    other.exec("insert into leases (agent, owner, expires_ms) values ('fay', 'killed', 1000000 + 15000)")
    const done = await working(store)
    await commit(store, "turn")
    for (let passed = 0; passed < 14; passed++) {
      timers.advance(second)
      await settle()
    }
    expect(done).toEqual([])
    timers.advance(second)
    await settle()
    expect(done).toEqual(["turn"])
  })

  test("go to the next process at once when theirs is closed", async () => {
    const { open, timers } = processes()
    const [first, next] = [await open(), await open()]
    await working(first)
    await commit(first, "earlier")
    await settle()
    const done = await working(next)
    await commit(next, "turn")
    await settle()
    expect(done).toEqual([])
    await first.close()
    timers.advance(second)
    await settle()
    expect(done).toEqual(["turn"])
  })

  test("of one agent wait for no other agent's process, and idle ends where another process does not get on", async () => {
    const { open, timers, clock, file } = processes({ leaseMs: 15 * second })
    const store = await open()
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    other.exec("insert into leases (agent, owner, expires_ms) values ('luna', 'alive', 1000000 + 15000)")
    const renew = () => other.exec(`update leases set expires_ms = ${clock.nowMs()} + 15000 where agent = 'luna'`)
    const of = (id: string) => ({ agent: id, conversation: "chat", audience: "private", user: "ann" }) as const
    for (const id of ["luna", "fay"]) {
      const jobs = [{ id: `job of ${id}`, kind: "work", key: of(id), turnId: id, atMs: 0, payload: {} }]
      await store.commit(of(id), { expectVersion: 0, append: [], state: {}, jobs })
    }
    const done: string[] = []
    await store.jobs.start({ work: async ({ id }) => void done.push(id) })
    await settle()
    expect(done).toEqual(["job of fay"])
    let isIdle = false
    const idle = store.jobs.idle().then(() => {
      isIdle = true
    })
    for (let passed = 0; passed < 29; passed++) {
      renew()
      timers.advance(second)
      await settle()
    }
    expect(isIdle).toBe(false)
    renew()
    clock.advance(2 * second)
    timers.advance(second)
    await idle
    expect(done).toEqual(["job of fay"])
  })

  test("stop where their process was so slow that another one has taken over, without a count of the attempt", async () => {
    const { open, timers, file } = processes()
    const store = await open()
    let stopped: unknown
    await working(store, ({ signal }) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      signal.addEventListener("abort", () => {
        stopped = signal.reason
        resolve()
      })
      return promise
    })
    await commit(store, "turn")
    await settle()
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    other.exec("update leases set owner = 'another', expires_ms = 1000000 + 15000")
    timers.advance(5 * second)
    await settle()
    timers.advance(second)
    await settle()
    expect(stopped).toMatchObject({ code: "closed", message: expect.stringContaining("Another process") })
    expect(other.prepare("select state, attempts from jobs").all()).toEqual([{ state: "waiting", attempts: 0 }])
  })

  test("are tried again after waits that double, and then lie as dead letters with what they failed with", async () => {
    const { open, timers } = processes({ jobs: { maxAttempts: 3, waitMs: second, maxWaitMs: 60 * second } })
    const store = await open()
    const attempts: { readonly attempt: number; readonly isLast: boolean }[] = []
    await working(store, ({ attempt, isLast }) => {
      attempts.push({ attempt, isLast })
      throw new Error(`failure ${attempt}`)
    })
    await commit(store, "turn")
    await store.jobs.idle()
    expect(attempts.length).toBe(1)
    timers.advance(999)
    await settle()
    expect(attempts.length).toBe(1)
    timers.advance(1)
    await settle()
    expect(attempts.length).toBe(2)
    timers.advance(1_999)
    await settle()
    expect(attempts.length).toBe(2)
    timers.advance(1)
    await settle()
    expect(attempts).toEqual([
      { attempt: 1, isLast: false },
      { attempt: 2, isLast: false },
      { attempt: 3, isLast: true },
    ])
    expect(await store.jobs.dead()).toMatchObject([{ job: { turnId: "turn" }, attempts: 3, error: "failure 3" }])
    expect((await store.check()).problems).toEqual([expect.stringContaining("1 failed for good")])
  })

  test("that end their process again and again become dead letters, too", async () => {
    const { open, file, timers } = processes({ jobs: { maxAttempts: 2 } })
    const store = await open()
    await commit(store, "turn")
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    // The row after the process of the second attempt was killed.
    other.exec("update jobs set attempts = 2")
    const done = await working(store)
    timers.advance(second)
    await settle()
    expect(done).toEqual([])
    expect(await store.jobs.dead()).toMatchObject([{ attempts: 2, error: expect.stringContaining("process ended") }])
  })

  test("that are done leave their id for a week and nothing of what they held", async () => {
    const { open, file, clock } = processes()
    const store = await open()
    await working(store)
    await commit(store, "turn")
    await store.jobs.idle()
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    const rows = () => other.prepare("select id, state, body from jobs").all()
    expect(rows()).toEqual([{ id: "job of turn", state: "done", body: null }])
    clock.advance(6 * 86_400_000)
    await working(store)
    expect(rows()).toHaveLength(1)
    clock.advance(2 * 86_400_000)
    await working(store)
    expect(rows()).toEqual([])
  })

  test("of several conversations run side by side, as many as allowed", async () => {
    const { open } = processes({ jobs: { concurrency: 2 } })
    const store = await open()
    const { promise, resolve } = Promise.withResolvers<void>()
    let [running, most] = [0, 0]
    for (const conversation of ["a", "b", "c", "d"]) await commit(store, `turn ${conversation}`, conversation)
    const done = await working(store, async () => {
      running += 1
      most = Math.max(most, running)
      await promise
      running -= 1
    })
    await settle()
    expect(done).toEqual(["turn a", "turn b"])
    resolve()
    await store.jobs.idle()
    expect(most).toBe(2)
    expect(done).toEqual(["turn a", "turn b", "turn c", "turn d"])
  })
})

test("waiting for a process's own jobs begins what another process has committed, without a look at the clock", async () => {
  const { open } = processes()
  const [store, other] = [await open(), await open()]
  const done = await working(store)
  await settle()
  await commit(other, "theirs")
  await store.jobs.idle({ own: true })
  expect(done).toEqual(["theirs"])
})

describe("forgetting a user", () => {
  test("aborts the job that works on their words, and nobody else's", async () => {
    const { open } = processes()
    const store = await open()
    const aborted: string[] = []
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await store.jobs.start({
      async work({ turnId }, { signal }) {
        signal.addEventListener("abort", () => aborted.push(turnId))
        await released
      },
    })
    await commit(store, "of ann", "ann's")
    await commit(store, "of bob", "bob's")
    await settle()
    await store.forget({ agent, user: "user of ann's" })
    await settle()
    expect(aborted).toEqual(["of ann"])
    release()
    await settle()
  })
})

test("waiting for a process's own jobs ends after them, of one agent or of all, and not after another agent's", async () => {
  const store = await openSqliteStore(join(tempFolder(), "store.sqlite"))
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const key = (agent: string) => ({ agent, conversation: "c", audience: "private", user: "ann" }) as const
  const ofAgent = (agent: string) => ({ id: agent, kind: "work", key: key(agent), turnId: "t", atMs: 0, payload: {} })
  for (const agent of ["fay", "luna"])
    await store.commit(key(agent), { expectVersion: 0, append: [], state: {}, jobs: [ofAgent(agent)] })
  const [begun, ended]: [string[], string[]] = [[], []]
  await store.jobs.start({
    work: async ({ id }) => {
      begun.push(id)
      if (id === "luna") await gate
      ended.push(id)
    },
  })
  await store.jobs.idle({ own: true, agent: "fay" })
  expect(ended).toEqual(["fay"])
  const all = store.jobs.idle({ own: true }).then(() => ended.push("all"))
  for (let turns = 0; begun.length < 2 || turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
  open()
  await all
  expect(ended).toEqual(["fay", "luna", "all"])
  await store.close()
})
