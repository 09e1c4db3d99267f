import { describe, expect, test } from "vitest"
import { eventStream } from "../../../src/apps/server/serving.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"

function slowStream() {
  const timers = manualTimers(manualClock(0))
  const gate = Promise.withResolvers<void>()
  let isLeft = false
  const events = (async function* () {
    yield 1
    await gate.promise
    yield 2
  })()
  const stream = eventStream(events, {
    end: "[DONE]",
    onCancel: () => {
      isLeft = true
    },
    timers,
  })
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  return { timers, reader, open: gate.resolve, left: () => isLeft }
}

describe("a stream of events", () => {
  test("sends a comment each 15 seconds in which nothing comes, and none else", async () => {
    const { timers, reader, open } = slowStream()
    expect((await reader.read()).value).toBe("data: 1\n\n")
    const silent = reader.read()
    await timers.whenPending(1)
    timers.advance(14_999)
    timers.advance(1)
    expect((await silent).value).toBe(": still here\n\n")
    timers.advance(15_000)
    expect((await reader.read()).value).toBe(": still here\n\n")
    open()
    expect((await reader.read()).value).toBe("data: 2\n\n")
    expect((await reader.read()).value).toBe("data: [DONE]\n\n")
    expect([(await reader.read()).done, timers.pending]).toEqual([true, 0])
  })

  test("leaves no timer when its reader leaves", async () => {
    const { timers, reader, left } = slowStream()
    await reader.read()
    await timers.whenPending(1)
    await reader.cancel()
    expect([left(), timers.pending]).toEqual([true, 0])
  })
})
