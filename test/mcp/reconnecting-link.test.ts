import { describe, expect, test } from "vitest"
import type { Link } from "../../src/mcp/link.ts"
import { ReconnectingLink } from "../../src/mcp/reconnecting-link.ts"
import { manualClock, manualTimers } from "../../src/testing/index.ts"

const never = new AbortController().signal

/** Connections that open, fail and end as told, over time that stands still. */
function plant(fails: (attempt: number) => boolean = () => false) {
  const clock = manualClock(0)
  const timers = manualTimers(clock)
  const ends: (() => void)[] = []
  const failures: string[] = []
  const ended: (readonly [problem: string, isMadeAgain: boolean])[] = []
  let attempts = 0
  const kept = new ReconnectingLink({
    async open(_signal, onEnd) {
      if (fails(++attempts)) throw new Error(`no ${attempts}`)
      ends.push(onEnd)
      return { close: async () => undefined } as Link
    },
    startTimeoutMs: 1_000,
    ports: { clock, timers, random: () => 1 },
    onReady: () => undefined,
    onEnded: (problem, isMadeAgain) => ended.push([problem, isMadeAgain]),
    onFailure: (problem) => failures.push(problem),
  })
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }
  return { kept, clock, timers, ends, failures, ended, attempts: () => attempts, settle }
}

describe("ReconnectingLink", () => {
  test("one that ends is made again at once, and whoever waits for it gets the new one", async () => {
    const { kept, ends } = plant()
    await kept.start()
    const first = kept.current
    ends[0]?.()
    expect(kept.current).toBeUndefined()
    const second = await kept.get(never)
    expect(second).toBeDefined()
    expect(second).not.toBe(first)
    expect(kept.opened).toBe(2)
  })

  test("one that ends again and again without having been well waits twice as long each time", async () => {
    const { kept, timers, ends, ended, clock, settle } = plant()
    await kept.start()
    const waits: number[] = []
    for (let n = 0; n < 6; n++) {
      ends[n]?.()
      await settle()
      const before = clock.nowMs()
      while (kept.state === "waiting") {
        timers.advance(1)
        await settle()
      }
      waits.push(clock.nowMs() - before)
    }
    expect(waits).toEqual([0, 250, 500, 1_000, 2_000, 4_000])
    ends[6]?.()
    expect(kept.state).toBe("failed")
    expect(ended.map(([problem, isMadeAgain]) => `${problem} ${isMadeAgain}`)).toEqual([
      ...Array.from({ length: 6 }, () => "it has stopped true"),
      "it has stopped false",
    ])
    expect(await kept.get(never)).toBeUndefined()
  })

  test("one that was well in between is made again at once every time", async () => {
    const { kept, ends, settle } = plant()
    await kept.start()
    for (let n = 0; n < 20; n++) {
      kept.resetFailures()
      ends[n]?.()
      await settle()
      expect(kept.state).toBe("ready")
    }
  })

  test("failing to start is told each time and given up after six attempts, until it is needed half a minute later", async () => {
    const { kept, clock, timers, failures, attempts, settle } = plant((attempt) => attempt < 8)
    await kept.start()
    for (let n = 0; n < 20; n++) {
      timers.advance(8_000)
      await settle()
    }
    expect(kept.state).toBe("failed")
    expect(failures).toEqual(["no 1", "no 2", "no 3", "no 4", "no 5", "no 6"])
    expect(timers.pending).toBe(0)
    clock.advance(30_000)
    kept.wake()
    await settle()
    expect([attempts(), kept.state]).toEqual([7, "failed"])
    kept.wake()
    expect(attempts()).toBe(7)
    clock.advance(30_000)
    expect(await kept.get(never)).toBeDefined()
    expect(kept.state).toBe("ready")
  })

  test("whoever waits for it goes on waiting over failed attempts, and stops when aborted", async () => {
    const { kept, timers, settle } = plant((attempt) => attempt < 3)
    await kept.start()
    const controller = new AbortController()
    const waiting = [kept.get(never), kept.get(controller.signal)]
    controller.abort(new Error("enough"))
    await expect(waiting[1]).rejects.toThrow("enough")
    for (let n = 0; n < 4; n++) {
      timers.advance(1_000)
      await settle()
    }
    expect(await waiting[0]).toBe(kept.current)
    expect(kept.current).toBeDefined()
  })

  test("closing while it waits ends the wait, and nothing is started any more", async () => {
    const { kept, timers, attempts } = plant(() => true)
    await kept.start()
    expect(kept.state).toBe("waiting")
    await kept.close()
    expect([kept.state, timers.pending, attempts()]).toEqual(["closed", 0, 1])
    expect(await kept.get(never)).toBeUndefined()
  })

  test("one that ends while its attempt is still under way is made again", async () => {
    const clock = manualClock(0)
    const timers = manualTimers(clock)
    let attempts = 0
    const kept = new ReconnectingLink({
      async open(_signal, onEnd) {
        attempts++
        if (attempts === 1) onEnd()
        return { close: async () => undefined } as Link
      },
      startTimeoutMs: 1_000,
      ports: { clock, timers, random: () => 0 },
      onReady: () => undefined,
      onEnded: () => undefined,
      onFailure: () => undefined,
    })
    await kept.start()
    expect(kept.state).toBe("waiting")
    timers.advance(125)
    expect(await kept.get(never)).toBeDefined()
    expect(attempts).toBe(2)
  })

  test("an attempt that takes too long is aborted", async () => {
    const clock = manualClock(0)
    const timers = manualTimers(clock)
    const failures: string[] = []
    const kept = new ReconnectingLink({
      open: (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      startTimeoutMs: 1_000,
      ports: { clock, timers, random: () => 0 },
      onReady: () => undefined,
      onEnded: () => undefined,
      onFailure: (problem) => failures.push(problem),
    })
    const started = kept.start()
    timers.advance(1_000)
    await started
    expect(failures).toEqual(["it was not ready within 1000 ms"])
  })
})
