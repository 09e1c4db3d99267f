import { expect, test } from "vitest"
import type { ClaimedJobs, QueuedJob } from "../../../../src/adapters/stores/postgres/claimed-jobs.ts"
import { PostgresJobRunner } from "../../../../src/adapters/stores/postgres/postgres-job-runner.ts"
import { postgresSettings } from "../../../../src/adapters/stores/postgres/postgres-options.ts"
import { hostTimers, type Timers } from "../../../../src/core/ports.ts"
import type { Job } from "../../../../src/memory/services/store/job-runner.ts"
import { jobOf, keyOf } from "./support/turns.ts"

const agent = "agent"
const key = keyOf("c", { agent })

/** Lets the event loop turn so often. */
async function pause(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await new Promise(setImmediate)
}

/** The jobs of one conversation. Questions and the answers to claims are on their way for some turns of the event loop. */
function slowDatabase(ids: readonly string[], steps: { readonly claim: number; readonly ask: number }) {
  const waiting = [...ids]
  let active: string | undefined
  const claims: Partial<ClaimedJobs> = {
    recall: async () => false,
    queues: async () => [agent],
    async claim() {
      if (active !== undefined) return []
      const id = waiting.shift()
      if (id === undefined) return []
      active = id
      await pause(steps.claim)
      return [{ queue: agent, id, retryCount: 0, job: jobOf(id, key) } satisfies QueuedJob]
    },
    async complete() {
      active = undefined
      await pause(1)
    },
    async release({ id }) {
      waiting.unshift(id)
      active = undefined
    },
    heartbeat: async () => true,
    hasten: async () => undefined,
    async canBegin(own, running) {
      await pause(steps.ask)
      return waiting.some((id) => own.includes(id)) && (active === undefined || running.includes(active))
    },
  }
  return claims as ClaimedJobs
}

/** Short waits last one turn of the event loop. */
const timers: Timers = {
  set: (callback, ms) => (ms > 1_000 ? hostTimers.set(callback, ms) : setImmediate(callback)),
  clear: (handle) => (isImmediate(handle) ? clearImmediate(handle) : hostTimers.clear(handle)),
}

function isImmediate(handle: unknown): handle is NodeJS.Immediate {
  return typeof handle === "object" && handle?.constructor.name === "Immediate"
}

const lags = [0, 1, 2, 3, 4, 5]

test("the jobs of a process are its own also while the answer to a claim is on its way", async () => {
  for (const claim of lags)
    for (const ask of lags)
      for (const work of lags) {
        const ids = ["a", "b", "c"]
        const done: string[] = []
        const settings = { ...postgresSettings({ url: "postgres://localhost/x", jobs: { listen: false } }), timers }
        const runner = new PostgresJobRunner({
          claims: slowDatabase(ids, { claim, ask }),
          enqueued: { ids: () => ids },
          settings,
          queueFor: async (name) => name,
          prepare: async () => undefined,
          supervise: async () => undefined,
          listen: () => ({ close: async () => undefined }),
        })
        const handler = async ({ id }: Job) => {
          await pause(work)
          done.push(id)
        }
        await runner.start({ work: handler }, { agent })
        await runner.idle({ own: true, agent })
        await runner.close({ drainMs: 60_000, agent })
        expect(done, `turns: a claim ${claim}, a question ${ask}, a job ${work}`).toEqual(ids)
      }
})
