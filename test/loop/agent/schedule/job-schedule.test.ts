import { expect, test } from "vitest"
import { JobSchedule } from "../../../../src/loop/agent/schedule/agent-jobs.ts"
import type { AgentContext } from "../../../../src/loop/turn/turn-context.ts"
import type { BackgroundJob } from "../../../../src/memory/services/background/background-job.ts"
import type { Job } from "../../../../src/memory/services/store/job-runner.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"

const hourMs = 3_600_000
const jobOf = (user: string, given: Partial<Job> = {}): Job => ({
  id: `j-${user}`,
  kind: "reflect",
  key: { agent: "a", conversation: user, audience: "private", user },
  turnId: `last of ${user}`,
  atMs: 0,
  payload: { of: user },
  ...given,
})

/** A schedule over a store that has the last turn of each user, and what it ran and told. */
function scene(nextRunMs: BackgroundJob["nextRunMs"] = (afterMs) => (Math.floor(afterMs / hourMs) + 1) * hourMs) {
  const clock = manualClock(0)
  const timers = manualTimers(clock)
  const [ran, told, asked]: [string[], string[], number[]] = [[], [], []]
  const records = new Map<string, unknown>()
  const latest = {
    jobs: [
      { kind: "reflect", nextRunMs: nextRunMs && ((afterMs: number) => asked.push(afterMs) && nextRunMs(afterMs)) },
      { kind: "after turns" },
    ],
    ports: { clock, timers },
    background: { enqueue: (_: string, work: () => Promise<unknown>) => work() },
    onWarning: ({ turnId, message }: { readonly turnId: string; readonly message: string }) =>
      void told.push(`${turnId}: ${message}`),
    store: {
      load: async ({ user }: { readonly user: string }) =>
        records.has(user) ? records.get(user) : { history: [{ turnId: "older" }, { turnId: `last of ${user}` }], state: {} },
    },
  }
  const schedule = new JobSchedule({
    latest: () => latest as unknown as AgentContext,
    run: async ({ id, payload }) => {
      ran.push(`${id} ${JSON.stringify(payload)}`)
      if (payload.of === "broken") throw new Error("no")
    },
  })
  const pass = async (ms: number) => {
    timers.advance(ms)
    for (let round = 0; round < 10; round++) await Promise.resolve()
  }
  return { schedule, timers, records, ran, told, asked, pass }
}

test("T36 a job runs again at each of its moments, for each user whose job ran here last", async () => {
  const { schedule, timers, ran, asked, pass } = scene()
  await schedule.ran(jobOf("ann"))
  await schedule.ran(jobOf("bob"))
  await schedule.ran(jobOf("ann", { id: "j-ann-2" }))
  expect([asked, timers.pending]).toEqual([[0], 1])
  await pass(hourMs - 1)
  expect(ran).toEqual([])
  await pass(1)
  expect(ran.splice(0)).toEqual([`j-bob {"of":"bob","scheduledMs":${hourMs}}`, `j-ann-2 {"of":"ann","scheduledMs":${hourMs}}`])
  expect([asked, timers.pending]).toEqual([[0, hourMs], 1])
  await pass(hourMs)
  expect(ran).toHaveLength(2)
  expect(timers.pending).toBe(1)
})

test.each<[string, unknown]>([
  ["nothing is stored", undefined],
  ["the history is empty", { history: [], state: {} }],
  ["somebody has spoken since", { history: [{ turnId: "last of ann" }, { turnId: "newer" }], state: {} }],
  ["the memory is off", { history: [{ turnId: "last of ann" }], state: { memoryOn: false } }],
])("T36 it does not run where %s", async (_, record) => {
  const { schedule, records, ran, told, pass } = scene()
  records.set("ann", record)
  await schedule.ran(jobOf("ann"))
  await pass(hourMs)
  expect([ran, told]).toEqual([[], []])
})

test("T36 a job that follows turns alone, or has no moment to come, sets no timer", async () => {
  const { schedule, timers, asked } = scene()
  await schedule.ran(jobOf("ann", { kind: "after turns" }))
  await schedule.ran(jobOf("ann", { kind: "unknown" }))
  expect([asked, timers.pending]).toEqual([[], 0])
  const never = scene(() => undefined)
  await never.schedule.ran(jobOf("ann"))
  expect([never.asked, never.timers.pending]).toEqual([[0], 0])
})

test("T36 a job that fails is told, and the others and the next moments go on", async () => {
  const { schedule, ran, told, pass } = scene()
  for (const user of ["broken", "ann"]) await schedule.ran(jobOf(user))
  await pass(hourMs)
  await pass(hourMs)
  expect(told).toEqual(new Array(2).fill("last of broken: The job reflect failed at a moment of its schedule: no"))
  expect(ran.filter((line) => line.startsWith("j-ann"))).toHaveLength(2)
})

test("T36 a far moment is looked for in steps, one timer at a time, and a stopped schedule leaves none", async () => {
  const far = 40 * 24 * hourMs
  const { schedule, timers, ran, asked, pass } = scene((afterMs) => (afterMs < far ? far : undefined))
  await schedule.ran(jobOf("ann"))
  for (let day = 0; day < 39; day++) {
    await pass(24 * hourMs)
    expect([ran, timers.pending]).toEqual([[], 1])
  }
  await pass(24 * hourMs)
  expect([ran.length, timers.pending, asked]).toEqual([1, 0, [0, far]])
  const other = scene()
  await other.schedule.ran(jobOf("ann"))
  other.schedule.stop()
  await other.schedule.ran(jobOf("bob"))
  await other.pass(hourMs)
  expect([other.ran, other.timers.pending]).toEqual([[], 0])
})
