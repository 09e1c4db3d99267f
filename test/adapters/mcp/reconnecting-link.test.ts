import { describe, expect, test } from "vitest"
import type { Link } from "../../../src/adapters/mcp/link.ts"
import { ReconnectingLink } from "../../../src/adapters/mcp/reconnecting-link.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"

const never = new AbortController().signal

/** A link whose connections open, fail and end on request, with a manual clock. */
function plant(fails: (attempt: number) => boolean = () => false) {
  const clock = manualClock(0)
  const timers = manualTimers(clock)
  const ends: (() => void)[] = []
  const closed: Link[] = []
  const failures: string[] = []
  const ended: (readonly [problem: string, isMadeAgain: boolean])[] = []
  let attempts = 0
  const link = new ReconnectingLink({
    async open(_signal, onEnd) {
      if (fails(++attempts)) throw new Error(`no ${attempts}`)
      ends.push(onEnd)
      const made = { close: async () => void closed.push(made) } as Link
      return made
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
  return { link, clock, timers, ends, closed, failures, ended, attempts: () => attempts, settle }
}

describe("ReconnectingLink", () => {
  test("one that can no longer be used is closed once, and made again; one of before is left alone", async () => {
    const { link, closed, ended, settle } = plant()
    await link.start()
    const first = link.current as Link
    link.drop(first, "it does not answer")
    link.drop(first, "it does not answer")
    await settle()
    expect(closed).toEqual([first])
    expect(ended).toEqual([["it does not answer", true]])
    expect([link.state, link.opened]).toEqual(["ready", 2])
  })

  test("one that ends is made again at once, and whoever waits for it gets the new one", async () => {
    const { link, ends } = plant()
    await link.start()
    const first = link.current
    ends[0]?.()
    expect(link.current).toBeUndefined()
    const second = await link.get(never)
    expect(second).toBeDefined()
    expect(second).not.toBe(first)
    expect(link.opened).toBe(2)
  })

  test("one that ends again and again without having been well waits twice as long each time", async () => {
    const { link, timers, ends, ended, clock, settle } = plant()
    await link.start()
    const waits: number[] = []
    for (let n = 0; n < 6; n++) {
      ends[n]?.()
      await settle()
      const before = clock.nowMs()
      while (link.state === "waiting") {
        timers.advance(1)
        await settle()
      }
      waits.push(clock.nowMs() - before)
    }
    expect(waits).toEqual([0, 250, 500, 1_000, 2_000, 4_000])
    ends[6]?.()
    expect(link.state).toBe("failed")
    expect(ended.map(([problem, isMadeAgain]) => `${problem} ${isMadeAgain}`)).toEqual([
      ...Array.from({ length: 6 }, () => "it has stopped true"),
      "it has stopped false",
    ])
    expect(await link.get(never)).toBeUndefined()
  })

  test("one that was well in between is made again at once every time", async () => {
    const { link, ends, settle } = plant()
    await link.start()
    for (let n = 0; n < 20; n++) {
      link.resetFailures()
      ends[n]?.()
      await settle()
      expect(link.state).toBe("ready")
    }
  })

  test("failing to start is told each time and given up after six attempts, until it is needed half a minute later", async () => {
    const { link, clock, timers, failures, attempts, settle } = plant((attempt) => attempt < 8)
    await link.start()
    for (let n = 0; n < 20; n++) {
      timers.advance(8_000)
      await settle()
    }
    expect(link.state).toBe("failed")
    expect(failures).toEqual(["no 1", "no 2", "no 3", "no 4", "no 5", "no 6"])
    expect(timers.pending).toBe(0)
    clock.advance(30_000)
    link.wake()
    await settle()
    expect([attempts(), link.state]).toEqual([7, "failed"])
    link.wake()
    expect(attempts()).toBe(7)
    clock.advance(30_000)
    expect(await link.get(never)).toBeDefined()
    expect(link.state).toBe("ready")
  })

  test("whoever waits for it goes on waiting over failed attempts, and stops when aborted", async () => {
    const { link, timers, settle } = plant((attempt) => attempt < 3)
    await link.start()
    const controller = new AbortController()
    const waiting = [link.get(never), link.get(controller.signal)]
    controller.abort(new Error("enough"))
    await expect(waiting[1]).rejects.toThrow("enough")
    for (let n = 0; n < 4; n++) {
      timers.advance(1_000)
      await settle()
    }
    expect(await waiting[0]).toBe(link.current)
    expect(link.current).toBeDefined()
  })

  test("closing while it waits ends the wait, and nothing is started any more", async () => {
    const { link, timers, attempts } = plant(() => true)
    await link.start()
    expect(link.state).toBe("waiting")
    await link.close()
    expect([link.state, timers.pending, attempts()]).toEqual(["closed", 0, 1])
    expect(await link.get(never)).toBeUndefined()
  })

  test("one that ends while its attempt is still under way is made again", async () => {
    const clock = manualClock(0)
    const timers = manualTimers(clock)
    let attempts = 0
    const link = new ReconnectingLink({
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
    await link.start()
    expect(link.state).toBe("waiting")
    timers.advance(125)
    expect(await link.get(never)).toBeDefined()
    expect(attempts).toBe(2)
  })

  test("an attempt that takes too long is aborted", async () => {
    const clock = manualClock(0)
    const timers = manualTimers(clock)
    const failures: string[] = []
    const link = new ReconnectingLink({
      open: (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      startTimeoutMs: 1_000,
      ports: { clock, timers, random: () => 0 },
      onReady: () => undefined,
      onEnded: () => undefined,
      onFailure: (problem) => failures.push(problem),
    })
    const started = link.start()
    timers.advance(1_000)
    await started
    expect(failures).toEqual(["it was not ready within 1000 ms"])
  })
})
