import { expect, test } from "vitest"
import { closePlugins, type Plugin } from "../../../src/memory/services/plugin.ts"
import { manualClock, manualTimers } from "../../../src/testing/deterministic-ports.ts"

const closing = (...closes: readonly Plugin["close"][]): Promise<unknown> => {
  const plugins = closes.map((close, at) => ({ name: `p${at}`, ...(close && { close }) }))
  const run = closePlugins(plugins, { timers: manualTimers(manualClock()), timeoutMs: 1_000 })
  return run.then(
    () => "closed",
    (error: unknown) => error,
  )
}

test("plugins close together; one error is thrown as it is, several together", async () => {
  const [one, two] = [new Error("one"), new Error("two")]
  const closed: string[] = []
  const fine = () => void closed.push("fine")
  expect(await closing(undefined, fine)).toBe("closed")
  expect(await closing(() => Promise.reject(one), fine)).toBe(one)
  const both = await closing(
    () => Promise.reject(one),
    fine,
    () => Promise.reject(two),
  )
  expect(both).toMatchObject({ message: "Several plugins could not be closed.", errors: [one, two] })
  expect(closed).toHaveLength(3)
})
