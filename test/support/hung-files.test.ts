import { expect, onTestFinished, test, vi } from "vitest"
import HungFiles from "../../.ci/hung-files.ts"

test("a test file that does not end is named once, and no other one", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines: string[] = []
  const reporter = new HungFiles({ afterMs: 600_000, print: (line) => void lines.push(line) })
  reporter.onTestRunStart()
  for (const moduleId of ["hangs.test.ts", "ends.test.ts"]) reporter.onTestModuleStart({ moduleId })
  vi.advanceTimersByTime(300_000)
  reporter.onTestModuleEnd({ moduleId: "ends.test.ts" })
  reporter.onTestModuleStart({ moduleId: "late.test.ts" })
  vi.advanceTimersByTime(240_000)
  expect(lines).toEqual([])
  vi.advanceTimersByTime(120_000)
  expect(lines).toEqual(["Still running after 10 minutes: hangs.test.ts"])
  reporter.onTestRunEnd()
  vi.advanceTimersByTime(3_600_000)
  expect(lines).toHaveLength(1)
})

test("as vitest makes it, with empty options, it waits for ten minutes and writes to standard error", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const print = vi.spyOn(console, "error").mockReturnValue(undefined)
  onTestFinished(() => print.mockRestore())
  const reporter = new HungFiles({})
  reporter.onTestRunStart()
  reporter.onTestModuleStart({ moduleId: "hangs.test.ts" })
  vi.advanceTimersByTime(9 * 60_000)
  expect(print).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2 * 60_000)
  expect(print.mock.calls).toEqual([["Still running after 10 minutes: hangs.test.ts"]])
})
