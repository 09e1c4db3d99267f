import { describe, expect, test } from "vitest"
import type { ClaimedJobs, QueuedJob } from "../../../../src/adapters/stores/postgres/claimed-jobs.ts"
import type { Job, JobAttempt, JobHandler } from "../../../../src/memory/services/store/job-runner.ts"
import { RunningJobs, repeat } from "../../../../src/memory/services/store/running-jobs.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"
import { largestSlice } from "../../../support/slices.ts"

const jobs = {
  maxAttempts: 3,
  timeoutMs: 60_000,
  waitMs: 1_000,
  maxWaitMs: 8_000,
  concurrency: 2,
  pollMs: 1,
  superviseSeconds: 1,
  listen: true,
}

function jobOf(id: string, agent = "fay"): Job {
  const key = { agent, conversation: id, audience: "private", user: "ann" } as const
  return { id, kind: "memory", key, turnId: `turn of ${id}`, atMs: 0, payload: {} }
}

const claimedOf = (id: string, retryCount = 0, agent = "fay"): QueuedJob => ({
  queue: "q",
  id,
  retryCount,
  job: jobOf(id, agent),
})

/** Jobs that run over claims which only write down what they were asked. */
function scene(held: (id: string) => Promise<boolean> = async () => true) {
  const clock = manualClock()
  const timers = manualTimers(clock)
  const said: unknown[] = []
  const step =
    (name: string) =>
    async (claimed: QueuedJob, ...more: unknown[]) =>
      void said.push([name, claimed.id, ...more])
  const claims = {
    ...Object.fromEntries(["complete", "release", "setAside", "fail", "bury"].map((name) => [name, step(name)])),
    heartbeat: (claimed: QueuedJob) => {
      said.push(["heartbeat", claimed.id])
      return held(claimed.id)
    },
  } as unknown as ClaimedJobs
  const running = new RunningJobs({
    claims,
    settings: { jobs, timers, random: () => 0.5, clock, onWarning: (message) => said.push(["warned", message]) },
    onSettled: () => said.push("settled"),
    onRetry: (waitMs) => said.push(["retry", waitMs]),
    onFault: (error) => said.push(["fault", String(error)]),
  })
  return { running, clock, timers, said, claims }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A handler that ends when it is told to, or when it is stopped. */
function waiting() {
  const seen: { attempt?: JobAttempt; job?: Job; reason?: unknown } = {}
  const { promise, resolve } = Promise.withResolvers<void>()
  const handler: JobHandler = (job, attempt) => {
    Object.assign(seen, { job, attempt })
    attempt.signal.addEventListener("abort", () => Object.assign(seen, { reason: attempt.signal.reason }))
    return promise
  }
  return { handler, seen, finish: resolve }
}

const dead = (error: string, attempts: number) => ({ job: jobOf("a"), error, attempts })
const failure = (attempt: number, next: string) => `job "memory" of turn of a failed, attempt ${attempt} of 3, ${next}: no luck`
const noLuck: JobHandler = async () => {
  throw new Error("no luck")
}

test("T39 jobs that came at once and only compute give other work of the process its turn", async () => {
  const { running, clock, said } = scene()
  const largest = await largestSlice(async (count) => {
    for (let at = 0; at < 100; at++)
      running.run(claimedOf(`j${at}`), async () => {
        count(2)
        clock.advance(2)
      })
    await running.settled()
  })
  expect([said.filter((what) => what === "settled").length, largest <= 8]).toEqual([100, true])
})

describe("an attempt of a job", () => {
  test.each<[string, number, JobHandler | undefined, readonly unknown[]]>([
    ["that succeeds is done", 0, async () => undefined, [["complete", "a"]]],
    ["without a handler is set aside", 0, undefined, [["setAside", "a"]]],
    [
      "that fails is tried again after a wait",
      0,
      noLuck,
      [
        ["warned", failure(1, "it will be tried again")],
        ["fail", "a", "no luck", 750],
        ["retry", 750],
      ],
    ],
    [
      "that fails again waits longer",
      1,
      noLuck,
      [
        ["warned", failure(2, "it will be tried again")],
        ["fail", "a", "no luck", 1_500],
        ["retry", 1_500],
      ],
    ],
    [
      "that fails for the last time is a dead letter",
      2,
      noLuck,
      [
        ["warned", failure(3, "it is a dead letter now")],
        ["bury", "a", dead("no luck", 3)],
      ],
    ],
    [
      "of a job that ended each of its processes is not made",
      3,
      async () => expect.unreachable("it ran"),
      [["bury", "a", dead("Every process that tried it ended before it did.", 3)]],
    ],
  ])("%s", async (_, retryCount, handler, expected) => {
    const { running, said, timers } = scene()
    running.run(claimedOf("a", retryCount), handler)
    expect([running.size, running.ids]).toEqual([1, ["a"]])
    await running.settled()
    expect(said).toEqual([...expected, "settled"])
    expect([running.size, timers.pending]).toEqual([0, 0])
  })

  test.each([
    [0, 1, false],
    [1, 2, false],
    [2, 3, true],
  ])("knows its number and if it is the last: after %d", async (retryCount, attempt, isLast) => {
    const { running } = scene()
    const { handler, seen, finish } = waiting()
    running.run(claimedOf("a", retryCount), handler)
    await settled()
    expect(seen).toMatchObject({ job: jobOf("a"), attempt: { attempt, isLast } })
    finish()
    await running.settled()
  })

  test("sends a heartbeat each ten seconds until it is over, and is stopped without a word once the job is no longer held", async () => {
    let isHeld = true
    const { running, said, timers } = scene(async () => isHeld)
    const { handler, seen } = waiting()
    running.run(claimedOf("a"), handler)
    for (let beats = 0; beats < 2; beats++) {
      await settled()
      timers.advance(9_999)
      await settled()
      expect(said).toHaveLength(beats)
      timers.advance(1)
    }
    await settled()
    isHeld = false
    timers.advance(10_000)
    await running.settled()
    expect(said).toEqual([["heartbeat", "a"], ["heartbeat", "a"], ["heartbeat", "a"], "settled"])
    expect(seen.reason).toMatchObject({
      code: "aborted",
      message: "The data that this job works on were deleted, or another process has taken the job over.",
    })
    expect(timers.pending).toBe(0)
  })

  test("goes on while the database cannot be asked if the job is held", async () => {
    const { running, said, timers } = scene(() => Promise.reject(new Error("away")))
    const { handler, finish } = waiting()
    running.run(claimedOf("a"), handler)
    await settled()
    timers.advance(10_000)
    await settled()
    finish()
    await running.settled()
    expect(said).toEqual([["heartbeat", "a"], ["complete", "a"], "settled"])
  })

  test("that takes too long is stopped, and counts as failed", async () => {
    const { running, said, timers } = scene()
    const { handler, seen } = waiting()
    running.run(claimedOf("a"), handler)
    await settled()
    timers.advance(60_000)
    await running.settled()
    const told = said.filter((one) => Array.isArray(one) && one[0] === "fail")
    expect(told).toEqual([
      ["fail", "a", "expected the job to be done within 60000 ms; it was not, and this attempt was stopped.", 750],
    ])
    expect(seen.reason).toMatchObject({ code: "store" })
    expect(timers.pending).toBe(0)
  })

  test("whose outcome cannot be written is told, and is over", async () => {
    const { running, said, claims, timers } = scene()
    Object.assign(claims, { complete: () => Promise.reject(new Error("away")) })
    running.run(claimedOf("a"), async () => undefined)
    await running.settled()
    expect(said).toEqual([["fault", "Error: away"], "settled"])
    expect([running.size, timers.pending]).toEqual([0, 0])
  })
})

describe("running jobs", () => {
  test("are looked after: those that are no longer held are stopped, the others go on", async () => {
    const { running, said } = scene(async (id) => id !== "b")
    const [a, b] = [waiting(), waiting()]
    running.run(claimedOf("a"), a.handler)
    running.run(claimedOf("b"), b.handler)
    await settled()
    await running.verify()
    await settled()
    expect([running.ids, a.seen.reason, b.seen.reason]).toEqual([["a"], undefined, expect.objectContaining({ code: "aborted" })])
    a.finish()
    await running.settled()
    expect(said.filter((one) => one !== "settled")).toEqual([
      ["heartbeat", "a"],
      ["heartbeat", "b"],
      ["complete", "a"],
    ])
  })

  test("of one agent are waited for so long, then given back without a count; those of another go on", async () => {
    const { running, said, timers } = scene()
    const [a, b, c] = [waiting(), waiting(), waiting()]
    running.run(claimedOf("a"), a.handler)
    running.run(claimedOf("b"), b.handler)
    running.run(claimedOf("c", 0, "gil"), c.handler)
    await settled()
    const drained = running.drain({ drainMs: 500, isMeant: ({ job }) => job.key.agent === "fay" })
    a.finish()
    timers.advance(499)
    await settled()
    expect(b.seen.reason).toBeUndefined()
    timers.advance(1)
    await drained
    expect([running.ids, b.seen.reason]).toEqual([["c"], expect.objectContaining({ code: "closed" })])
    expect(said).toEqual([["complete", "a"], "settled", ["release", "b"], "settled"])
    const all = running.drain({ drainMs: 500, isMeant: () => true })
    c.finish()
    await all
    expect(timers.pending, "the wait for the slowest is over too").toBe(0)
  })

  test("that are being settled are not stopped any more", async () => {
    const { running, said, claims, timers } = scene()
    const writing = Promise.withResolvers<void>()
    Object.assign(claims, { complete: () => writing.promise })
    running.run(claimedOf("a"), async () => undefined)
    await settled()
    const drained = running.drain({ drainMs: 0, isMeant: () => true })
    timers.advance(1)
    writing.resolve()
    await drained
    expect(said).toEqual(["settled"])
  })
})

test("a task is repeated so long after its end, and no more once it is stopped", async () => {
  const timers = manualTimers(manualClock())
  const ends: (() => void)[] = []
  const repeated = repeat(timers, 100, () => new Promise<void>((resolve) => ends.push(resolve)))
  timers.advance(99)
  expect(ends).toHaveLength(0)
  timers.advance(1)
  expect([ends.length, timers.pending]).toEqual([1, 0])
  timers.advance(1_000)
  expect(ends, "the first one still runs").toHaveLength(1)
  ends[0]?.()
  await settled()
  timers.advance(100)
  expect(ends).toHaveLength(2)
  repeated.stop()
  ends[1]?.()
  await settled()
  expect(timers.pending).toBe(0)
  const again = repeat(timers, 100, async () => undefined)
  expect(timers.pending).toBe(1)
  again.stop()
  expect(timers.pending).toBe(0)
})
