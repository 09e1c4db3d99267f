import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { countingIds, manualClock, manualTimers, seededRandom } from "../../src/testing/index.ts"

describe("manual time", () => {
  test("a clock stands still until it is moved on", () => {
    const clock = manualClock(1000)
    expect([clock.nowMs(), clock.nowMs()]).toEqual([1000, 1000])
    clock.advance(5)
    expect(clock.nowMs()).toBe(1005)
  })

  test("due timers fire in order of time, at their own moment, also those set while firing", () => {
    const clock = manualClock(0)
    const timers = manualTimers(clock)
    const fired: string[] = []
    const note = (name: string) => () => void fired.push(`${name}@${clock.nowMs()}`)
    timers.set(note("late"), 30)
    timers.set(() => timers.set(note("inner"), 5), 10)
    timers.set(note("first of two"), 20)
    timers.set(note("second of two"), 20)
    timers.set(note("beyond"), 31)
    timers.advance(30)
    expect(fired).toEqual(["inner@15", "first of two@20", "second of two@20", "late@30"])
    expect([clock.nowMs(), timers.pending]).toEqual([30, 1])
  })

  test("a cleared timer does not fire, and clearing twice or nothing is harmless", () => {
    const timers = manualTimers(manualClock())
    const handle = timers.set(() => expect.unreachable(), 1)
    timers.clear(handle)
    timers.clear(handle)
    timers.clear(undefined)
    timers.advance(10)
    expect(timers.pending).toBe(0)
  })

  test("a test can wait until timers are set", async () => {
    const timers = manualTimers(manualClock())
    const two = timers.whenPending(2)
    timers.set(() => {}, 1)
    timers.set(() => {}, 1)
    await two
    await timers.whenPending(1)
  })

  test("any timers fire once each, sorted by due time and then by setting", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.array(fc.nat(20)), (delays, advances) => {
        const timers = manualTimers(manualClock(7))
        const fired: number[] = []
        for (const [at, delay] of delays.entries()) timers.set(() => fired.push(at), delay)
        for (const ms of [...advances, 50]) timers.advance(ms)
        const inOrder = delays.map((delay, at) => ({ delay, at })).sort((a, b) => a.delay - b.delay || a.at - b.at)
        expect(fired).toEqual(inOrder.map(({ at }) => at))
      }),
    )
  })
})

describe("ids and random numbers", () => {
  test("ids count up for each prefix", () => {
    const ids = countingIds()
    expect([ids.next("turn"), ids.next("call"), ids.next("turn")]).toEqual(["turn-1", "call-1", "turn-2"])
  })

  test("the same seed gives the same numbers, another seed others, all in [0, 1)", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const draw = (from: number) => Array.from({ length: 20 }, seededRandom(from))
        expect(draw(seed)).toEqual(draw(seed))
        expect(draw(seed)).not.toEqual(draw(seed ^ 1))
        expect(draw(seed).every((number) => number >= 0 && number < 1)).toBe(true)
      }),
    )
  })

  test("the numbers are evenly spread", () => {
    const buckets = Array.from({ length: 10 }, () => 0)
    const random = seededRandom(1)
    for (let draw = 0; draw < 10_000; draw++) {
      const bucket = Math.floor(random() * 10)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
    }
    expect(Math.min(...buckets)).toBeGreaterThan(880)
    expect(Math.max(...buckets)).toBeLessThan(1120)
  })
})
