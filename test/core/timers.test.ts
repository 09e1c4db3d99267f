import { describe, expect, test } from "vitest"
import type { Timers } from "../../src/core/ports.ts"
import { orAborted, pause, startPausableTimer, whatHappened, within } from "../../src/core/timers.ts"
import { manualClock, manualTimers } from "../../src/testing/index.ts"

const ticks = async (): Promise<void> => {
  for (let tick = 0; tick < 20; tick++) await Promise.resolve()
}

/** Timers that tell how many are set, and the listeners of a signal. */
function watched() {
  const clock = manualClock(0)
  const inner = manualTimers(clock)
  const open = new Set<unknown>()
  const timers: Timers = {
    set(callback, delayMs) {
      const handle = inner.set(() => {
        open.delete(handle)
        callback()
      }, delayMs)
      open.add(handle)
      return handle
    },
    clear(handle) {
      open.delete(handle)
      inner.clear(handle)
    },
  }
  return { clock, timers, advance: (ms: number) => inner.advance(ms), open: () => open.size }
}

/** A signal that tells how many listen to it. */
function listened() {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  Object.assign(signal, {
    addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }) {
      listeners.add(listener)
      add(type, listener, options)
    },
    removeEventListener(type: "abort", listener: () => void) {
      listeners.delete(listener)
      remove(type, listener)
    },
  })
  return { controller, signal, listeners }
}

describe("a task with a time limit", () => {
  const begun = (task: (signal: AbortSignal) => unknown, timeoutMs = 100) => {
    const { timers, advance, open } = watched()
    const { controller, signal, listeners } = listened()
    const outcome = within({ timeoutMs, signal, timers }, task)
    return { outcome, controller, advance, left: () => [open(), listeners.size] }
  }

  test.each([
    ["a value", () => 5, { status: "done", value: 5 }],
    ["a promise", async () => 6, { status: "done", value: 6 }],
    ["an error", () => Promise.reject(new RangeError("no")), { status: "failed", error: new RangeError("no") }],
    [
      "what is thrown",
      () => {
        throw new RangeError("no")
      },
      { status: "failed", error: new RangeError("no") },
    ],
  ])("ends with %s, and leaves nothing set", async (_, task, expected) => {
    let own: AbortSignal | undefined
    const { outcome, left } = begun((signal) => {
      own = signal
      return task()
    })
    expect(left()).toEqual([1, 1])
    expect(await outcome).toEqual(expected)
    expect(left()).toEqual([0, 0])
    expect(own?.aborted, "nobody stops what has ended").toBe(false)
  })

  test("that takes longer is stopped, and what it gives then is ignored", async () => {
    let own: AbortSignal | undefined
    const late = Promise.withResolvers<number>()
    const { outcome, advance, left } = begun((signal) => {
      own = signal
      return late.promise
    })
    await ticks()
    advance(99)
    expect(own?.aborted).toBe(false)
    advance(1)
    expect(own?.aborted).toBe(true)
    late.resolve(5)
    expect(await outcome).toEqual({ status: "timeout" })
    expect(left()).toEqual([0, 0])
  })

  test("whose signal aborts is stopped at once, and does not begin if it did before", async () => {
    let own: AbortSignal | undefined
    const { outcome, controller, left } = begun((signal) => {
      own = signal
      return new Promise(() => undefined)
    })
    await ticks()
    controller.abort()
    expect(await outcome).toEqual({ status: "aborted" })
    expect([left(), own?.aborted]).toEqual([[0, 0], true])
    const { timers, open } = watched()
    const task = () => Promise.reject(new Error("begun"))
    expect(await within({ timeoutMs: 9, signal: AbortSignal.abort(), timers }, task)).toEqual({ status: "aborted" })
    await ticks()
    expect(open()).toBe(0)
  })

  test("needs no signal", async () => {
    const { timers, advance } = watched()
    const outcome = within({ timeoutMs: 5, timers }, () => new Promise(() => undefined))
    advance(5)
    expect(await outcome).toEqual({ status: "timeout" })
  })
})

describe("work or an abort", () => {
  test("settles as the work does, and listens no more", async () => {
    for (const fails of [false, true]) {
      const { signal, listeners, controller } = listened()
      const work = Promise.withResolvers<number>()
      const settled = orAborted(work.promise, signal).catch((error: unknown) => error)
      expect(listeners.size).toBe(1)
      if (fails) work.reject("no")
      else work.resolve(5)
      expect(await settled).toBe(fails ? "no" : 5)
      await ticks()
      expect(listeners.size).toBe(0)
      controller.abort()
    }
  })

  test("rejects with the reason as soon as the signal aborts, or if it did before", async () => {
    const { signal, controller } = listened()
    const settled = orAborted(new Promise(() => undefined), signal)
    controller.abort("enough")
    await expect(settled).rejects.toBe("enough")
    await expect(orAborted(new Promise(() => undefined), AbortSignal.abort("before"))).rejects.toBe("before")
  })
})

test.each([
  [{ status: "timeout" }, "took longer than 5000 ms"],
  [{ status: "aborted" }, "took longer than 5000 ms"],
  [{ status: "failed", error: new Error("The disk is full.") }, "failed: The disk is full"],
  [{ status: "failed", error: new Error("the disk is full") }, "failed: the disk is full"],
  [{ status: "failed", error: "none." }, "failed: none"],
] as const)("the outcome %j is told as %j", (outcome, words) => {
  expect(whatHappened(outcome, 5_000)).toBe(words)
})

describe("a pause", () => {
  const ended = (promise: Promise<void>) => {
    let isOver = false
    void promise.then(() => {
      isOver = true
    })
    return async () => {
      await ticks()
      return isOver
    }
  }

  test("lasts its time, or until the signal aborts, and leaves nothing set", async () => {
    for (const aborts of [false, true]) {
      const { timers, advance, open } = watched()
      const { signal, listeners, controller } = listened()
      const isOver = ended(pause(10, { timers, signal }))
      advance(9)
      expect([await isOver(), open(), listeners.size]).toEqual([false, 1, 1])
      if (aborts) controller.abort()
      else advance(1)
      expect([await isOver(), open(), listeners.size]).toEqual([true, 0, 0])
    }
  })

  test("of no time, or after an abort, is none", async () => {
    const { timers, open } = watched()
    expect(await ended(pause(0, { timers, signal: new AbortController().signal }))()).toBe(true)
    expect(await ended(pause(10, { timers, signal: AbortSignal.abort() }))()).toBe(true)
    expect(open()).toBe(0)
  })
})

describe("a timer that can stand still", () => {
  const maxMs = 2_147_483_647
  /** The delays for which a timer is set. */
  function delays() {
    const { clock, timers, advance, open } = watched()
    const set: number[] = []
    const noting: Timers = {
      set(callback, delayMs) {
        set.push(delayMs)
        return timers.set(callback, delayMs)
      },
      clear: (handle) => timers.clear(handle),
    }
    let fired = 0
    const start = (delayMs: number, rest = {}) =>
      startPausableTimer(
        { clock, timers: noting },
        delayMs,
        () => {
          fired += 1
        },
        rest,
      )
    return { clock, set, start, advance, open, fired: () => fired }
  }

  test.each([
    [5, 5],
    [maxMs - 1, maxMs - 1],
    [maxMs, maxMs],
    [maxMs + 1, maxMs],
    [Number.POSITIVE_INFINITY, maxMs],
  ])("of %d ms is set for %d ms, which the host can wait", (delayMs, waits) => {
    const { set, start } = delays()
    start(delayMs)
    expect(set).toEqual([waits])
  })

  test("waits for what is left after each pause, at least no time, and fires once", () => {
    const { set, start, advance, open, fired } = delays()
    const timer = start(100)
    advance(30)
    const first = timer.pause()
    expect(open()).toBe(0)
    advance(500)
    first()
    advance(20)
    const [second, third] = [timer.pause(), timer.pause()]
    second()
    second()
    expect(open()).toBe(0)
    third()
    expect(set).toEqual([100, 70, 50])
    advance(50)
    expect([fired(), open()]).toEqual([1, 0])
    // A pause after it fired begins nothing anew.
    timer.pause()()
    expect([set.length, fired(), open()]).toEqual([3, 1, 0])
  })

  test("that began earlier than it was started counts the time since then in its first pause", () => {
    const { set, start, advance, fired } = delays()
    advance(1_000)
    const timer = start(100, { startedMs: 960 })
    timer.pause()()
    const late = start(100, { startedMs: 500 })
    late.pause()()
    expect(set).toEqual([100, 60, 100, 0])
    advance(0)
    expect(fired()).toBe(1)
  })

  test("that was cleared is not begun again by the end of a pause", () => {
    const { set, start, open } = delays()
    const timer = start(100)
    const resume = timer.pause()
    timer.clear()
    resume()
    const other = start(100)
    other.clear()
    expect([set, open()]).toEqual([[100, 100], 0])
  })
})
