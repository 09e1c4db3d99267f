import { beforeEach, describe, expect, test } from "vitest"
import type { Timers } from "../../../../src/core/ports.ts"
import { hostTimers } from "../../../../src/core/ports.ts"
import type { JobHandler } from "../../../../src/memory/services/store/job-runner.ts"
import { agentWithJob, closingAgent, closingScenes } from "../../../support/closing.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

let url = ""
beforeEach(async () => {
  url = await makeDatabase()
})

const agent = { agent: closingAgent }

/** A handler that waits to be released and records which jobs it has begun. */
function held() {
  const { promise: gate, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const seen: string[] = []
  const handler: JobHandler = async ({ id }) => {
    seen.push(id)
    begin()
    await gate
  }
  return { handler, begun, release, seen }
}

describe("over PostgreSQL", () => {
  for (const { name, play } of closingScenes) test(name, () => play(() => openStoreFor(url), { refuses: true }))

  test("an agent closes without waiting for jobs that another process runs, and for what stands behind them", async () => {
    const [here, there] = [await openStoreFor(url), await openStoreFor(url, { jobs: { concurrency: 1 } })]
    const other = held()
    const mine = keyOf("test", { agent: closingAgent, user: "test" })
    await there.jobs.start({ count: other.handler }, agent)
    await commitJobs(there, mine, [jobOf("theirs", mine, { kind: "count" })])
    await other.begun
    const done: unknown[] = []
    const closing = agentWithJob(here, async ({ payload }) => void done.push(payload.turn))
    await closing.session.send("behind theirs").result
    await closing.agent.session("elsewhere").send("on its own").result
    await closing.agent.close()
    expect([done, closing.warnings]).toEqual([[0], []])
    expect((await here.check()).counts.job).toBe(2)
    other.release()
    await there.jobs.idle()
    expect((await here.check()).counts.job).toBe(0)
  })

  test("an agent that closes ends what it runs, and takes no more of what others have left", async () => {
    const [here, there] = [await openStoreFor(url, { jobs: { concurrency: 1 } }), await openStoreFor(url)]
    for (const id of ["a", "b", "c"]) {
      const key = keyOf(id, { agent: closingAgent })
      await commitJobs(there, key, [jobOf(id, key, { kind: "count" })])
    }
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: gate, resolve: release } = Promise.withResolvers<void>()
    const done: string[] = []
    const closing = agentWithJob(here, async ({ id }) => {
      begin()
      await gate
      done.push(id)
    })
    await begun
    const closed = closing.agent.close()
    await new Promise(setImmediate)
    release()
    await closed
    expect([done.length, closing.warnings]).toEqual([1, []])
    expect((await here.check()).counts.job).toBe(2)
  })
})

test("a store that is closed while an agent's jobs begin leaves no timer behind", async () => {
  const set = new Set<unknown>()
  const timers: Timers = {
    set(callback, ms) {
      const handle = hostTimers.set(() => {
        set.delete(handle)
        callback()
      }, ms)
      set.add(handle)
      return handle
    },
    clear(handle) {
      set.delete(handle)
      hostTimers.clear(handle)
    },
  }
  for (let rounds = 0; rounds < 6; rounds++) {
    const store = await openStoreFor(url, { timers })
    const begun = store.jobs.start({}, { agent: `begun ${rounds}` }).catch((error: { readonly code?: string }) => error.code)
    for (let round = 0; round < rounds; round++) await new Promise(setImmediate)
    const closing = store.close()
    const later = store.jobs.start({}, { agent: `later ${rounds}` }).catch((error: { readonly code?: string }) => error.code)
    for (const outcome of await Promise.all([begun, later])) expect([undefined, "closed"]).toContain(outcome)
    await closing
    expect([...set]).toEqual([])
  }
})
