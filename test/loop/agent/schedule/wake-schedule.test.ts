import { describe, expect, test } from "vitest"
import { createWakeSchedule } from "../../../../src/loop/agent/schedule/create-wake-schedule.ts"
import { cronTimes, DueTimes } from "../../../../src/loop/agent/schedule/schedule-times.ts"
import type { WakeableSession, WakeScheduleOptions } from "../../../../src/loop/agent/schedule/wake-schedule.ts"
import type { Turn } from "../../../../src/loop/agent/turn.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"
import { scriptedModel } from "../../../../src/testing/scripted-model.ts"
import type { TurnResult } from "../../../../src/trace/turn-event.ts"
import { finish, testAgent } from "../../../support/agents.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A session that notes when it was woken, and turns that end when they are told. */
function sleeper(conversation: string, nowMs: () => number, { ends = true } = {}) {
  const woken: string[] = []
  const reasons: string[] = []
  const end: (() => void)[] = []
  const session: WakeableSession = {
    key: { agent: "a", conversation, audience: "private" },
    wake(reason) {
      woken.push(new Date(nowMs()).toISOString())
      reasons.push(reason)
      const result = new Promise<TurnResult>((resolve) => {
        const done = () => resolve({ ok: true } as TurnResult)
        if (ends) done()
        else end.push(done)
      })
      return { result } as Turn
    },
  }
  return { session, woken, reasons, end }
}

async function scheduled(
  start: string,
  options: Pick<WakeScheduleOptions, "cron" | "timeZone"> & Partial<WakeScheduleOptions>,
  ends = true,
) {
  const clock = manualClock(Date.parse(start))
  const timers = manualTimers(clock)
  const warnings: string[] = []
  const one = sleeper("c", () => clock.nowMs(), { ends })
  const schedule = await createWakeSchedule({
    sessions: one.session,
    reason: "早安",
    onWarning: (message) => warnings.push(message),
    ...options,
    clock,
    timers,
  })
  /** Turns end between looks. */
  const pass = async (ms: number, stepMs = hourMs) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      timers.advance(Math.min(stepMs, ms - passed))
      await schedule.idle().catch(() => undefined)
    }
  }
  return { ...one, schedule, clock, timers, warnings, pass }
}

/** The longest that a timer of a schedule would wait: a machine that sleeps meanwhile is noticed no later. */
async function longestWait(cron: string): Promise<number> {
  const delays: number[] = []
  const clock = manualClock(Date.parse("2026-01-01T00:00:00Z"))
  const timers = { set: (_: () => void, delayMs: number) => delays.push(delayMs), clear: () => undefined }
  const { session } = sleeper("c", () => clock.nowMs())
  await createWakeSchedule({ sessions: session, reason: "早安", cron, timeZone: "UTC", clock, timers })
  return Math.max(...delays)
}

describe("R27 a wake schedule", () => {
  test("a misspelt trust is refused before the schedule begins", async () => {
    const options = { sessions: [], cron: "* * * * *", timeZone: "UTC", reason: "?", trust: "auhtor" as never }
    const message = 'expected trust author, user, agent, tool or memory of createWakeSchedule, found "auhtor".'
    await expect(createWakeSchedule(options)).rejects.toMatchObject({ code: "usage", message })
  })

  test("wakes at the hour of its time zone, whatever the changes of its clocks", async () => {
    const berlin = await scheduled("2026-03-27T12:00:00Z", { cron: "0 8 * * *", timeZone: "Europe/Berlin" })
    await berlin.pass(72 * hourMs)
    expect(berlin.woken).toEqual(["2026-03-28T07:00:00.000Z", "2026-03-29T06:00:00.000Z", "2026-03-30T06:00:00.000Z"])
    const gap = await scheduled("2026-03-07T12:00:00Z", { cron: "30 2 * * *", timeZone: "America/New_York" })
    await gap.pass(48 * hourMs)
    expect(gap.woken).toEqual(["2026-03-08T07:00:00.000Z", "2026-03-09T06:30:00.000Z"])
    const twice = await scheduled("2026-10-31T12:00:00Z", { cron: "30 1 * * *", timeZone: "America/New_York" })
    await twice.pass(48 * hourMs)
    expect(twice.woken).toEqual(["2026-11-01T05:30:00.000Z", "2026-11-02T06:30:00.000Z"])
  })

  test("is quiet in the quiet hours, over midnight and in local time", async () => {
    const night = await scheduled("2026-01-01T00:00:00Z", {
      cron: "0 */4 * * *",
      timeZone: "Asia/Shanghai",
      quietHours: { from: "22:30", to: "08:00" },
    })
    await night.pass(24 * hourMs)
    expect(night.woken.map((at) => at.slice(11, 16))).toEqual(["00:00", "04:00", "08:00", "12:00"].slice(1).concat("00:00"))
    const noon = await scheduled("2026-01-01T00:00:00Z", {
      cron: "0 * * * *",
      timeZone: "UTC",
      quietHours: { from: "02:00", to: "23:00" },
    })
    await noon.pass(24 * hourMs)
    expect(noon.woken.map((at) => at.slice(11, 16))).toEqual(["01:00", "23:00", "00:00"])
  })

  test("runs what a sleep of the machine missed once, and not what would have been quiet", async () => {
    const missed = await scheduled("2026-01-01T00:30:00Z", { cron: "0 * * * *", timeZone: "UTC" })
    missed.clock.advance(50 * hourMs)
    await missed.pass(minuteMs)
    expect(missed.woken).toHaveLength(1)
    expect(missed.warnings).toEqual([])
    await missed.pass(hourMs)
    expect(missed.woken).toHaveLength(2)
    const quiet = await scheduled("2026-01-01T20:00:00Z", {
      cron: "0 3 * * *",
      timeZone: "UTC",
      quietHours: { from: "22:00", to: "07:00" },
    })
    quiet.clock.advance(12 * hourMs)
    await quiet.pass(minuteMs)
    expect(quiet.woken).toEqual([])
  })

  test("many missed moments are one turn, also when only one far back was outside the quiet hours, and none inside them", async () => {
    const quietHours = { from: "22:00", to: "07:00" }
    const late = await scheduled("2026-01-01T21:30:00Z", { cron: "50 21,22,23,0,1,2 * * *", timeZone: "UTC", quietHours })
    late.clock.advance(10 * hourMs)
    await late.pass(minuteMs, minuteMs)
    expect(late.woken).toEqual(["2026-01-02T07:30:00.000Z"])
    await late.pass(5 * minuteMs, minuteMs)
    expect(late.woken).toHaveLength(1)
    const asleep = await scheduled("2026-01-01T20:30:00Z", { cron: "0 21 * * *", timeZone: "UTC", quietHours })
    asleep.clock.advance(3 * hourMs)
    await asleep.pass(minuteMs, minuteMs)
    expect(asleep.woken).toEqual([])
    const inside = await scheduled("2026-01-01T21:30:00Z", { cron: "*/10 22,23 * * *", timeZone: "UTC", quietHours })
    inside.clock.advance(10 * hourMs)
    await inside.pass(minuteMs, minuteMs)
    expect(inside.woken).toEqual([])
    const often = await scheduled("2026-01-01T22:00:30Z", { cron: "*/10 * * * *", timeZone: "UTC", quietHours })
    often.clock.advance(9 * hourMs)
    await often.pass(1_000, 1_000)
    expect(often.woken).toEqual(["2026-01-02T07:00:30.000Z"])
    await often.pass(9 * minuteMs, minuteMs)
    expect(often.woken).toHaveLength(1)
  })

  test("the quiet hours begin with their first minute and end with their last", async () => {
    const { woken, pass } = await scheduled("2026-01-01T21:58:30Z", {
      cron: "* * * * *",
      timeZone: "UTC",
      quietHours: { from: "22:00", to: "22:02" },
    })
    await pass(4 * minuteMs, minuteMs / 2)
    expect(woken.map((at) => at.slice(11, 16))).toEqual(["21:59", "22:02"])
    const night = await scheduled("2026-01-01T22:58:30Z", {
      cron: "* * * * *",
      timeZone: "UTC",
      quietHours: { from: "23:00", to: "00:01" },
    })
    await night.pass(63 * minuteMs, minuteMs / 2)
    expect(night.woken.map((at) => at.slice(11, 16))).toEqual(["22:59", "00:01"])
  })

  test("looks at the clock every minute, as a timer does not run while a machine sleeps", async () => {
    const { timers, clock, woken, pass } = await scheduled("2026-01-01T00:00:00Z", { cron: "0 0 1 * *", timeZone: "UTC" })
    expect(timers.pending).toBe(1)
    clock.advance(40 * 24 * hourMs)
    await pass(minuteMs, minuteMs)
    expect(woken).toHaveLength(1)
    expect(await longestWait("0 0 1 * *")).toBe(minuteMs)
    expect(await longestWait("* * * * * *")).toBe(1_000)
  })

  test("never wakes a session twice at once", async () => {
    const { woken, end, warnings, timers, schedule } = await scheduled(
      "2026-01-01T00:00:00Z",
      { cron: "* * * * *", timeZone: "UTC" },
      false,
    )
    timers.advance(3 * minuteMs)
    expect(woken).toHaveLength(1)
    expect(warnings).toEqual(["c was not woken: its last turn still runs.", "c was not woken: its last turn still runs."])
    let isIdle = false
    const idle = schedule.idle().then(() => {
      isIdle = true
    })
    for (let tick = 0; tick < 50; tick++) await Promise.resolve()
    expect(isIdle).toBe(false)
    end[0]?.()
    await idle
    timers.advance(minuteMs)
    expect(woken).toHaveLength(2)
  })

  test("conversations of one name are two where their audience differs; a turn for somebody, and one that fails, are told", async () => {
    const clock = manualClock(Date.parse("2026-01-01T00:00:00Z"))
    const timers = manualTimers(clock)
    const warnings: string[] = []
    const woken: unknown[] = []
    const to = { id: "ming", name: "小明" }
    const session = (audience: "private" | "group", error?: Error): WakeableSession => ({
      key: { agent: "a", conversation: "c", audience },
      wake(_, options) {
        woken.push([audience, options])
        const result = error ? ({ ok: false, error } as TurnResult) : ({ ok: true } as TurnResult)
        return { result: Promise.resolve(result) } as Turn
      },
    })
    const schedule = await createWakeSchedule({
      sessions: [session("private"), session("group", new Error("no model"))],
      cron: "* * * * *",
      timeZone: "UTC",
      reason: "早安",
      to,
      onWarning: (message) => void warnings.push(message),
      clock,
      timers,
    })
    timers.advance(minuteMs)
    await schedule.idle()
    expect(woken).toEqual([
      ["private", { trust: "author", to }],
      ["group", { trust: "author", to }],
    ])
    expect(warnings).toEqual(["c was woken and failed: no model"])
    schedule.stop()
  })

  test("a clock that is set back a little repeats nothing; set back far, it counts anew", async () => {
    const { woken, clock, pass } = await scheduled("2026-01-02T07:30:00Z", { cron: "0 8 * * *", timeZone: "UTC" })
    await pass(30 * minuteMs)
    expect(woken).toHaveLength(1)
    clock.advance(-10 * minuteMs)
    await pass(20 * minuteMs, minuteMs)
    expect(woken).toHaveLength(1)
    const little = new DueTimes(await cronTimes("0 8 * * *", "UTC"), () => false, Date.parse("2026-01-02T07:30:00Z"))
    expect(little.take(Date.parse("2026-01-02T08:00:00Z"))).toBe(true)
    expect(little.take(Date.parse("2026-01-02T07:50:00Z"))).toBe(false)
    expect(little.take(Date.parse("2026-01-02T08:00:00Z"))).toBe(false)
    const times = await cronTimes("0 8 * * *", "UTC")
    const due = new DueTimes(times, () => false, Date.parse("2026-01-02T07:30:00Z"))
    expect(due.take(Date.parse("2025-01-02T07:30:00Z"))).toBe(false)
    expect(due.nextMs).toBe(Date.parse("2025-01-02T08:00:00Z"))
    expect(due.take(Date.parse("2025-01-02T08:00:00Z"))).toBe(true)
  })

  test("stopped, it wakes nothing more and leaves no timer", async () => {
    const { woken, timers, schedule } = await scheduled("2026-01-01T00:00:00Z", { cron: "* * * * *", timeZone: "UTC" })
    schedule.stop()
    expect(timers.pending).toBe(0)
    timers.advance(hourMs)
    expect(woken).toEqual([])
  })

  test("stopped in the middle of waking, it wakes no other session and sets no timer", async () => {
    const clock = manualClock(Date.parse("2026-01-01T00:00:00Z"))
    const timers = manualTimers(clock)
    const both = ["a", "b"].map((name) => sleeper(name, () => clock.nowMs()))
    const schedule = await createWakeSchedule({
      sessions: both.map(({ session }) => session),
      cron: "* * * * *",
      timeZone: "UTC",
      reason: "早安",
      onTurn: () => schedule.stop(),
      clock,
      timers,
    })
    timers.advance(minuteMs)
    expect(both.map(({ woken }) => woken.length)).toEqual([1, 0])
    expect(timers.pending).toBe(0)
  })

  test("asks for its sessions and its reason each time, and goes on where asking fails", async () => {
    let asked = 0
    const clock = manualClock(Date.parse("2026-01-01T00:00:00Z"))
    const timers = manualTimers(clock)
    const warnings: string[] = []
    const one = sleeper("c", () => clock.nowMs())
    const schedule = await createWakeSchedule({
      sessions: () => {
        if (asked++ === 0) throw new Error("no list")
        return [one.session]
      },
      cron: "* * * * *",
      timeZone: "UTC",
      reason: (at) => `现在 ${at.toISOString().slice(11, 16)}`,
      onTurn: () => {
        throw new Error("no window")
      },
      onWarning: (message) => {
        warnings.push(message)
        throw new Error("nobody listens")
      },
      clock,
      timers,
    })
    timers.advance(2 * minuteMs)
    schedule.stop()
    expect(warnings).toEqual(["Nothing was woken: no list", "onTurn failed for c: no window"])
    expect(one.reasons).toEqual(["现在 00:02"])
  })

  test("bad patterns, time zones and quiet hours are refused at once", async () => {
    const make = (options: Partial<WakeScheduleOptions>) =>
      scheduled("2026-01-01T00:00:00Z", { cron: "* * * * *", timeZone: "UTC", ...options })
    await expect(make({ cron: "every day" })).rejects.toMatchObject({ code: "usage" })
    await expect(make({ timeZone: "Mars/Olympus" })).rejects.toMatchObject({ code: "usage" })
    await expect(make({ quietHours: { from: "25:00", to: "07:00" } })).rejects.toThrow('quietHours.from as HH:MM, found "25:00"')
    await expect(make({ quietHours: { from: "07:00", to: "07:00" } })).rejects.toThrow("07:00 twice")
  })

  test("a real session wakes, speaks, and its turn is handed over", async () => {
    const { agent, session } = testAgent(scriptedModel([finish("早上好！")]))
    const clock = manualClock(Date.parse("2026-01-01T07:59:30Z"))
    const timers = manualTimers(clock)
    const turns: Turn[] = []
    const schedule = await createWakeSchedule({
      sessions: session,
      cron: "0 8 * * *",
      timeZone: "UTC",
      reason: "该说早安了",
      onTurn: (turn) => turns.push(turn),
      clock,
      timers,
    })
    timers.advance(minuteMs)
    await schedule.idle()
    schedule.stop()
    expect(await turns[0]?.result).toMatchObject({ ok: true, text: "早上好！", trace: { wake: "该说早安了" } })
    await agent.close()
  })
})
