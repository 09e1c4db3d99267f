import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { JobTable } from "../../../../../src/memory/services/store/in-memory/job-table.ts"
import { retryWaitMs } from "../../../../../src/memory/services/store/job-attempt.ts"
import { defaultJobSettings, type Job, type JobHandler } from "../../../../../src/memory/services/store/job-runner.ts"
import { manualClock, manualTimers } from "../../../../../src/testing/index.ts"
import { largestSlice } from "../../../../support/slices.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const

function job(id: string, conversation = "talk"): Job {
  return { id, kind: "work", key: { ...key, conversation }, turnId: id, atMs: 0, payload: {} }
}

function table(settings: Partial<typeof defaultJobSettings> = {}) {
  const clock = manualClock()
  const timers = manualTimers(clock)
  return { clock, timers, jobs: new JobTable({ ...defaultJobSettings, ...settings }, { clock, timers, random: () => 1 }) }
}

const ticks = async (): Promise<void> => {
  for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate)
}

describe("retryWaitMs", () => {
  test("doubles with each attempt up to its limit, at least half of it and never more, by chance", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const full = Math.min(300_000, 1_000 * 2 ** (attempt - 1))
          const wait = retryWaitMs(attempt, defaultJobSettings, () => random)
          expect(wait >= full / 2 && wait <= full).toBe(true)
        },
      ),
    )
  })
})

describe("a job in memory", () => {
  test.each([1, 10, 300])(
    "T39 that only computes gives other work of the process its turn, 300 jobs of %s conversations: a slice has at most 8 ms of work",
    async (conversations) => {
      const { clock, jobs } = table()
      let done = 0
      const largest = await largestSlice(async (count) => {
        const work: JobHandler = async () => {
          done++
          count(2)
          clock.advance(2)
        }
        jobs.enqueue(Array.from({ length: 300 }, (_, at) => job(`j${at}`, `c${at % conversations}`)))
        await jobs.start({ work })
        await jobs.idle()
      })
      expect([done, largest <= 8]).toEqual([300, true])
    },
  )

  test("T33 waits longer after each failure, and holds up only its own conversation", async () => {
    const { jobs, timers } = table()
    const ran: string[] = []
    const work: JobHandler = async ({ id }) => {
      ran.push(id)
      if (id === "bad" && ran.length < 4) throw new Error("not yet")
    }
    jobs.enqueue([job("bad"), job("next"), job("other", "other")])
    await jobs.start({ work })
    await jobs.idle()
    expect(ran).toEqual(["bad", "other"])
    timers.advance(999)
    await ticks()
    expect(ran).toEqual(["bad", "other"])
    timers.advance(1)
    await ticks()
    expect(ran).toEqual(["bad", "other", "bad"])
    timers.advance(2_000)
    await jobs.idle()
    expect(ran).toEqual(["bad", "other", "bad", "bad", "next"])
  })

  test("T33 that hangs is given up after its limit, its signal aborts, and it is tried again", async () => {
    const { jobs, timers } = table({ maxAttempts: 2, timeoutMs: 50 })
    const signals: AbortSignal[] = []
    const work: JobHandler = (_, { signal }) => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    jobs.enqueue([job("hangs")])
    await jobs.start({ work })
    for (const advance of [50, 1_000, 50]) {
      await ticks()
      timers.advance(advance)
    }
    await jobs.idle()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(await jobs.dead()).toEqual([{ job: job("hangs"), attempts: 2, error: expect.stringContaining("50 ms") }])
    expect(timers.pending).toBe(0)
  })

  test("closing leaves no timer of a job that waits for its next attempt", async () => {
    const { jobs, timers } = table({ maxAttempts: 3 })
    jobs.enqueue([job("fails")])
    await jobs.start({ work: () => Promise.reject(new Error("no")) })
    await ticks()
    expect(timers.pending).toBe(1)
    await jobs.close({ drainMs: 1_000 })
    expect(timers.pending).toBe(0)
  })

  test("so many run side by side and no more", async () => {
    const { jobs } = table({ concurrency: 3 })
    let running = 0
    let most = 0
    const work: JobHandler = async () => {
      most = Math.max(most, ++running)
      await ticks()
      running--
    }
    jobs.enqueue(Array.from({ length: 12 }, (_, at) => job(`j${at}`, `c${at}`)))
    await jobs.start({ work })
    await jobs.idle()
    expect(most).toBe(3)
    expect(jobs.rows()).toEqual([])
  })

  test("of whatever jobs, however they fail, each is done once or dead, and each conversation's in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ lane: fc.nat(2), failures: fc.nat(3) }), { maxLength: 12 }), async (drawn) => {
        const { jobs, timers } = table({ maxAttempts: 3 })
        const left = new Map(drawn.map(({ failures }, at) => [`j${at}`, failures]))
        const done: string[] = []
        const work: JobHandler = async ({ id }) => {
          const failures = left.get(id) ?? 0
          left.set(id, failures - 1)
          if (failures > 0) throw new Error("again")
          done.push(id)
        }
        jobs.enqueue(drawn.map(({ lane }, at) => job(`j${at}`, `c${lane}`)))
        await jobs.start({ work })
        for (let round = 0; round < 40; round++) {
          await jobs.idle()
          timers.advance(300_000)
        }
        const dead = (await jobs.dead()).map(({ job: { id } }) => id)
        expect([...done, ...dead].sort()).toEqual(drawn.map((_, at) => `j${at}`).sort())
        expect(dead.sort()).toEqual(drawn.flatMap(({ failures }, at) => (failures >= 3 ? [`j${at}`] : [])).sort())
        for (const lane of [0, 1, 2]) {
          const order = done.filter((id) => drawn[Number(id.slice(1))]?.lane === lane).map((id) => Number(id.slice(1)))
          expect(order).toEqual([...order].sort((a, b) => a - b))
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe("a job in memory that is forgotten", () => {
  test("leaves no timer of its next attempt", async () => {
    const { jobs, timers } = table()
    jobs.enqueue([job("a")])
    await jobs.start({ work: () => Promise.reject(new Error("no")) })
    await ticks()
    const pending = timers.pending
    expect(jobs.forget({ scope: { agent: "fay" }, privateConversations: [] })).toBe(1)
    expect(timers.pending).toBe(pending - 1)
  })
})
