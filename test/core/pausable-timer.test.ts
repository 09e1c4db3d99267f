import { describe, expect, test } from "vitest"
import { startPausableTimer } from "../../src/core/timers.ts"
import { manualClock, manualTimers } from "../../src/testing/index.ts"

function started(delayMs: number) {
  const clock = manualClock(0)
  const timers = manualTimers(clock)
  let fired = 0
  const timer = startPausableTimer({ clock, timers }, delayMs, () => {
    fired++
  })
  return { timers, timer, fired: () => fired }
}

describe("a timer that can stand still", () => {
  test("fires once its time is up", () => {
    const { timers, fired } = started(100)
    timers.advance(99)
    expect(fired()).toBe(0)
    timers.advance(1)
    expect(fired()).toBe(1)
  })

  test("does not count the time of a pause, however often it is resumed", () => {
    const { timers, timer, fired } = started(100)
    timers.advance(60)
    const resume = timer.pause()
    timers.advance(1_000)
    resume()
    resume()
    timers.advance(39)
    expect(fired()).toBe(0)
    timers.advance(1)
    expect(fired()).toBe(1)
  })

  test("stands still as long as any pause lasts", () => {
    const { timers, timer, fired } = started(100)
    const [first, second] = [timer.pause(), timer.pause()]
    first()
    timers.advance(1_000)
    expect(fired()).toBe(0)
    second()
    timers.advance(100)
    expect(fired()).toBe(1)
  })

  test("never fires once it is cleared, not even after a pause", () => {
    const { timers, timer, fired } = started(100)
    const resume = timer.pause()
    timer.clear()
    resume()
    timers.advance(1_000)
    expect(fired()).toBe(0)
  })
})
