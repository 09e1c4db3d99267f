import { describe, expect, test } from "vitest"
import { amounts, runs, sizes } from "./size.ts"
import { readSources } from "./source-files.ts"

describe("the sizes of the tests", () => {
  test("are ordered: a longer run does no less than a shorter one, and a soak more", () => {
    for (const [name, { quick, ci, long, soak }] of Object.entries(amounts)) {
      expect(quick, name).toBeGreaterThan(0)
      expect(ci, name).toBeGreaterThan(quick)
      expect(long, name).toBeGreaterThan(ci)
      expect(soak, name).toBeGreaterThan(long)
    }
    for (const count of [1, 60, 1_000, 20_000]) {
      const [quick = 0, ci = 0, long = 0, soak = 0] = sizes.map((size) => runs(count, size))
      expect(quick).toBeGreaterThan(0)
      expect(quick).toBeLessThanOrEqual(ci)
      expect(ci).toBeLessThanOrEqual(long)
      expect([long, soak > long]).toEqual([count, true])
    }
  })
})

/** What would make a test fail because a machine is busy. */
const timeLimits: readonly RegExp[] = [
  // A third argument of test, or a hook's second.
  /^\s*\}, [\d_]+\)$/m,
  /\b(?:testTimeout|hookTimeout)\b/,
  // The option of test, describe, expect.poll, vi.waitFor and spawn; a limit under test is in `timeoutMs`.
  /\btimeout: /,
  /\bAbortSignal\.timeout\(/,
  /\bperformance\.now\(/,
  /\bsetTimeout(?:\(| as\b)/,
  /\bscheduler\.wait\(/,
]

describe("no test", () => {
  test("sets a time limit, sleeps or measures: on a busy machine it is as right as on an idle one", () => {
    // The tool for mutants is no test: a mutant may run for ever.
    const files = [...readSources("test", ".ts")].filter(
      ([path]) => !/^test\/(?:bench|mutation)\//.test(path) && path !== "test/support/size.test.ts",
    )
    const found = files.flatMap(([path, text]) =>
      timeLimits.filter((limit) => limit.test(text)).map((limit) => `${path}: ${limit}`),
    )
    expect(found).toEqual([])
  })

  test("could do so unseen", () => {
    for (const planted of [
      "test('x', () => {\n}, 60_000)",
      "  timeout: 5,",
      "AbortSignal.timeout(9)",
      "setTimeout(resolve, 2)",
      'import { setTimeout as sleep } from "node:timers/promises"',
      "await scheduler.wait(5)",
    ])
      expect(
        timeLimits.some((limit) => limit.test(planted)),
        planted,
      ).toBe(true)
  })
})
