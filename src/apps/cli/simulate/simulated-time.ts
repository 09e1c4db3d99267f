import type { LanguageModel } from "../../../core/model/language-model.ts"
import { manualClock, manualTimers } from "../../../testing/deterministic-ports.ts"

/** A clock that a simulation moves, with the timers that hang on it. */
export type SimulatedTime = ReturnType<typeof simulatedTime>

/** Real time without any progress after which work is taken to wait for a timer. A busy machine's time is no such time. */
const stalledMs = 50
const passedMs = 1_000

/** Makes a clock that stands at a time. */
export function simulatedTime(startMs: number) {
  const clock = manualClock(startMs)
  const timers = manualTimers(clock)
  let calls = 0
  return {
    clock,
    timers,
    /** Moves the clock on to a time, timers that are due included. A time that is over changes nothing. */
    moveTo: (atMs: number) => timers.advance(Math.max(0, atMs - clock.nowMs())),
    /** Waits for work. Where it waits for a timer alone, simulated seconds pass until it goes on. */
    async settled<T>(work: Promise<T>): Promise<T> {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      done.catch(() => undefined)
      while (!isDone) {
        const before = performance.eventLoopUtilization()
        const stalled = Promise.withResolvers<void>()
        const waiting = setTimeout(stalled.resolve, stalledMs)
        await Promise.race([done.catch(() => undefined), stalled.promise])
        clearTimeout(waiting)
        const { idle } = performance.eventLoopUtilization(before)
        if (!isDone && calls === 0 && idle > stalledMs / 2) timers.advance(passedMs)
      }
      return done
    },
    /** The model, whose calls are real waits: meanwhile the clock stands still. */
    watched: (model: LanguageModel): LanguageModel => ({
      ...{ id: model.id, capabilities: model.capabilities },
      async *stream(request, options) {
        calls++
        try {
          yield* model.stream(request, options)
        } finally {
          calls--
        }
      },
    }),
  }
}
