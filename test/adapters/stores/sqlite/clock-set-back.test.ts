import { DatabaseSync } from "node:sqlite"
import { describe, expect, onTestFinished, test } from "vitest"
import { manualClock } from "../../../../src/testing/index.ts"
import { commit, processes, settle, working } from "./support/processes.ts"

const second = 1_000
const hour = 3_600 * second
const leaseMs = 15 * second

/** Processes whose clock can be set while their timers go on, and another connection to their file. */
async function withClock(jobs = {}) {
  const clock = manualClock(100 * hour)
  const { open, timers, file } = processes({ clock, leaseMs, jobs })
  const store = await open()
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed++) {
      clock.advance(second)
      timers.advance(second)
      await settle()
    }
  }
  return { clock, store, other, open, pass }
}

describe("T33 when the clock is set back by an hour, the jobs of a file", () => {
  test("do not wait for the lease of a process that was killed before", async () => {
    const { clock, store, other, pass } = await withClock()
    other.exec(`insert into leases (agent, owner, expires_ms) values ('fay', 'killed', ${clock.nowMs() + leaseMs})`)
    clock.advance(-hour)
    const done = await working(store)
    await commit(store, "turn")
    await pass(1)
    expect(done).toEqual(["turn"])
  })

  test("wait for a lease that ends at most twice its length ahead: its process may live", async () => {
    const { clock, store, other, pass } = await withClock()
    other.exec(`insert into leases (agent, owner, expires_ms) values ('fay', 'alive', ${clock.nowMs() + 2 * leaseMs})`)
    const done = await working(store)
    await commit(store, "turn")
    await pass(29)
    expect(done).toEqual([])
    await pass(1)
    expect(done).toEqual(["turn"])
  })

  test("do not wait an hour longer for their next attempt", async () => {
    const { clock, store, pass } = await withClock({ waitMs: 2 * second, maxWaitMs: 2 * second })
    let fails = true
    const tried = await working(store, () => {
      if (fails) throw new Error("no")
    })
    await commit(store, "turn")
    await settle()
    expect(tried).toEqual(["turn"])
    fails = false
    clock.advance(-hour)
    await pass(1)
    expect(tried).toEqual(["turn", "turn"])
  })

  test("stay with their process, which writes its lease anew", async () => {
    const { clock, store, other, pass } = await withClock()
    const { promise: gate, resolve: release } = Promise.withResolvers<void>()
    onTestFinished(() => release())
    await working(store, () => gate)
    await commit(store, "turn")
    await settle()
    clock.advance(-hour)
    await pass(1)
    expect(other.prepare("select expires_ms from leases").all()).toEqual([{ expires_ms: clock.nowMs() + leaseMs }])
  })

  test("are awaited by idle no longer than before", async () => {
    const { clock, store, other, pass } = await withClock()
    const alive = () => clock.nowMs() + leaseMs
    other.exec(`insert into leases (agent, owner, expires_ms) values ('fay', 'alive', ${alive()})`)
    await commit(store, "turn")
    await working(store)
    let isIdle = false
    void store.jobs.idle().then(() => {
      isIdle = true
    })
    await settle()
    clock.advance(-hour)
    for (let passed = 0; passed < 40 && !isIdle; passed++) {
      other.exec(`update leases set expires_ms = ${alive()}`)
      await pass(1)
    }
    expect(isIdle).toBe(true)
  })
})
